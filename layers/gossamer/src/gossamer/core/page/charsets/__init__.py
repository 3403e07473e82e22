"""Character encodings as browsers have them: labels, decoders, and guessing."""
