"""How is text turned into an index that answers by term?"""
