import { ableFor, peopleNamed } from './able-for.ts';
import type { People } from './people.ts';
import { type CastVote, countMissing, type VotingTerms } from './quorum.ts';
import type { Requirement, RequirementEntry } from './requirement.ts';

/** Approvals that an entry of a requirement still needs. */
export interface MissingApprovals {
  /** The names that may approve: email addresses, groups, roles. */
  from: readonly string[];
  count: number;
  /** Email addresses of the first few people who can approve and have not. */
  who: readonly string[];
  /** How many more people can approve and have not. */
  more: number;
}

const MOST_NAMED = 5;

/**
 * The approvals still needed until every requirement is met, by entry, and who could give them. A need that two
 * requirements share appears once.
 *
 * @example findMissing(terms, [annsVote]) // [{ from: ['finance'], count: 1, who: ['bob@…'], more: 0 }]
 */
export function findMissing(terms: VotingTerms, votes: readonly CastVote[]): MissingApprovals[] {
  const approved = new Set(votes.map(({ userId }) => userId));
  const found = new Map<string, MissingApprovals>();
  for (const requirement of terms.requirements) {
    const lacking = missingOf(requirement, terms, votes, approved);
    for (const [names, missing] of lacking) {
      if (missing.count > (found.get(names)?.count ?? 0)) found.set(names, missing);
    }
  }
  return [...found.values()];
}

/** Keyed by names: entries of one requirement with the same names count as one. */
function missingOf(
  requirement: Requirement,
  terms: VotingTerms,
  votes: readonly CastVote[],
  approved: ReadonlySet<string>,
): Map<string, MissingApprovals> {
  const { people } = terms;
  const { slots, total } = countMissing(requirement, terms, votes);
  const found = new Map<string, MissingApprovals>();
  const add = (entries: Requirement, count: number): void => {
    if (count <= 0) return;
    const missing = toMissing(entries, count, people, approved);
    const names = JSON.stringify(missing.from.toSorted());
    found.set(names, { ...missing, count: count + (found.get(names)?.count ?? 0) });
  };
  for (const [index, entry] of requirement.entries()) add([entry], slots[index] ?? 0);
  // The total may exceed the number of slots. Anyone who could fill a slot can give the additional approvals.
  add(requirement, total - slots.reduce((sum, count) => sum + count, 0));
  return found;
}

function toMissing(
  entries: Requirement,
  count: number,
  people: People,
  approved: ReadonlySet<string>,
): MissingApprovals {
  const from = [...new Set(entries.flatMap((entry) => namesAsked(entry, people)))];
  const able = new Set(entries.flatMap((entry) => [...ableFor(entry, people)])).difference(approved);
  const named = [...able].slice(0, MOST_NAMED);
  return {
    from,
    count,
    who: named.map((userId) => people.member(userId)?.email ?? userId),
    more: able.size - named.length,
  };
}

/** The names in an entry: the names in the request, if the request narrows or extends the entry. */
export function namesAsked(entry: RequirementEntry, people: People): readonly string[] {
  const { from, among, beside } = entry;
  const names = among ?? beside;
  if (names === undefined) return from;
  const able = ableFor({ ...entry, among: names }, people);
  const serving = names.filter((name) => !peopleNamed([name], people).isDisjointFrom(able));
  if (among === undefined) return [...new Set([...from, ...serving])];
  return serving.length > 0 ? serving : among;
}
