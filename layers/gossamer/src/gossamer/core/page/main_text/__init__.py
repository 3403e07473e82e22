"""The main text of a page: what it is about, without menus, margins and repetitions."""
