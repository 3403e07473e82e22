"""Reading one fetched page: decoding, HTML, text, links, directives."""
