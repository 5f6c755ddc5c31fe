import type { People } from '../approvals/people.ts';
import type { FieldProblem } from '../kernel/errors.ts';
import type { CompiledPolicy } from '../policy/policy.ts';

/** How the names in a policy match the project's people today. */
export interface ApproverFindings {
  /** Names that match nobody. */
  unknown: readonly string[];
  /** Entries with too few people; paths are JSON Pointers into the document. */
  warnings: readonly FieldProblem[];
}

export function checkApprovers(people: People, policy: CompiledPolicy): ApproverFindings {
  const unknown = new Set(
    policy.entries.flatMap(({ entry: { from, orNamed = [] } }) =>
      [...from, ...orNamed].filter((name) => !people.knows(name)),
    ),
  );
  const warnings = policy.entries
    .map(({ path, entry }) => ({
      path,
      entry,
      able: new Set(entry.from.flatMap((name) => [...people.approversNamed(name)])).size,
    }))
    .filter(({ entry, able }) => able < entry.count)
    .map(({ path, entry, able }) => ({
      path,
      message: `Requires ${entry.count} ${entry.count === 1 ? 'approval' : 'approvals'}, but ${sayAble(able)} can approve now: such requests are refused${entry.orNamed === undefined ? '' : ', unless they name enough others'}.`,
    }));
  return { unknown: [...unknown], warnings };
}

function sayAble(people: number): string {
  if (people === 0) return 'nobody';
  return people === 1 ? 'only one person' : `only ${people} people`;
}
