"""What the kinds of case share (duels.domain.cases)."""

from duels.domain.cases import MOST_CARDS as MOST_CARDS
from duels.domain.cases import Case as Case
from duels.domain.cases import CaseFault as CaseFault
from duels.domain.cases import Names as Names
from duels.domain.cases import first as first
from duels.domain.cases import same as same
from duels.domain.cases import so_many as so_many
