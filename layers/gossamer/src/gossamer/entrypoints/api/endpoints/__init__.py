"""The endpoints of the API: each makes content from a request, with no framework or socket."""
