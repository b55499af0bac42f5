#pragma once

#include "model/layer.h"
#include "model/transformer/attention.h"
#include "model/transformer/recomputed.h"
#include "model/transformer/transformer_options.h"

// The layers of an encoder and of a decoder, from embedded rows (B, hidden_size) to rows of the same shape. If norms
// stand before layers, one more stands at the end. If the recomputation is on, each layer keeps its input and output
// only; the recomputation must outlive the stack.
namespace lockstep {

// encoder_layers times self-attention and a feed-forward layer.
LayerPointer make_encoder_stack(const TransformerOptions& options, Recomputation& recomputation);

// decoder_layers times self-attention to the rows before, attention to an encoder's rows (not if encoder is null) and a
// feed-forward layer.
LayerPointer make_decoder_stack(const TransformerOptions& options, EncoderRows* encoder, Recomputation& recomputation);

}  // namespace lockstep
