"""What ends a localization early. Each is a counted failure with a sentence, never a crash."""

from __future__ import annotations

from codeviews.core.errors import CodeviewsError


class PlanningFailure(CodeviewsError):
    """A planner that could not decide: nothing matches, or its model cannot be asked."""


class RejectedRouteMap(PlanningFailure):
    """The plan is of no use; the sentence says why and how to mend it."""


class IncompleteSummaries(PlanningFailure):
    """Too few summaries arrived; the task fails rather than going on half blind."""
