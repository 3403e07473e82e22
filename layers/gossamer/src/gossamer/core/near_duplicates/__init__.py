"""Finding pages whose text is nearly the same."""
