"""Patterns of ``match``: what the names that they bind are parts of."""

from __future__ import annotations

import ast

from codeviews.core.languages import python_nodes as op
from codeviews.core.languages.python_scope import Changes
from codeviews.core.languages.python_targets import TargetWalker


class PatternWalker(TargetWalker):
    """Binds the names of patterns."""

    def match_pattern(self, pattern: ast.pattern, subject: int) -> None:
        """Take apart what ``case pattern`` is matched against."""
        if isinstance(pattern, ast.MatchAs):
            self._captured(pattern, subject)
        elif isinstance(pattern, ast.MatchSequence):
            self._sequence_pattern(pattern, subject)
        elif isinstance(pattern, ast.MatchMapping):
            for key, part in zip(pattern.keys, pattern.patterns, strict=True):
                self.match_pattern(part, self.make((op.ITEM, subject, self.expr(key))))
            if pattern.rest:
                self.assign_name(pattern.rest, subject)
        elif isinstance(pattern, ast.MatchClass):
            self._class_pattern(pattern)
        elif isinstance(pattern, ast.MatchOr):
            self._alternatives(pattern, subject)
        elif isinstance(pattern, ast.MatchValue):
            self.expr(pattern.value)

    def _captured(self, pattern: ast.MatchAs, subject: int) -> None:
        inner = pattern.pattern
        if inner is not None:
            self.match_pattern(inner, subject)
        if isinstance(inner, ast.MatchClass):
            subject = self.make((op.INSTANCE, self._decorator(inner.cls)))
        if pattern.name:
            self.assign_name(pattern.name, subject)

    def _sequence_pattern(self, pattern: ast.MatchSequence, subject: int) -> None:
        index, parts = 0, pattern.patterns
        for place, part in enumerate(parts):
            if isinstance(part, ast.MatchStar):
                index = place + 1 - len(parts)
                if part.name:
                    self.assign_name(part.name, self.make((op.SLICE, subject, place)))
                continue
            key = self.make((op.CONST, index))
            self.match_pattern(part, self.make((op.ITEM, subject, key)))
            index += 1

    def _class_pattern(self, pattern: ast.MatchClass) -> None:
        subject = self.make((op.INSTANCE, self.expr(pattern.cls)))
        for place, part in enumerate(pattern.patterns):
            self.match_pattern(part, self.make((op.ATTR, subject, op.matched(place))))
        for name, part in zip(pattern.kwd_attrs, pattern.kwd_patterns, strict=True):
            self.match_pattern(part, self.make((op.ATTR, subject, name)))

    def _alternatives(self, pattern: ast.MatchOr, subject: int) -> None:
        branches: list[Changes] = []
        for part in pattern.patterns:
            self.scope.open()
            self.match_pattern(part, subject)
            branches.append(self.scope.close(False))
        self.scope.merge(branches)
