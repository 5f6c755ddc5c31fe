/** A request repeated under its Idempotency-Key gets the same answer. One whose answer was lost is carried out once. */
import { isDeepStrictEqual } from 'node:util';
import type { Answer, AnyClient } from '../gate/client.ts';
import { type Deed, isDeniedByPolicy } from '../stories/chronicle.ts';
import { inParallel } from './read-gate.ts';

/**
 * @param deeds The deeds to repeat, if possible.
 * @param all All other deeds, some of which may prevent a repetition now.
 */
export async function findUnrepeatable(
  client: AnyClient,
  deeds: readonly Deed[],
  all: readonly Deed[],
): Promise<string[]> {
  const findings: string[] = [];
  const repeatable = deeds.filter(
    ({ ask, answer }) =>
      ask.idempotencyKey !== undefined && answer?.status !== 503 && answer?.status !== UNDER_WAY,
  );
  // A request sent twice under one key is one request.
  const byKey = Map.groupBy(repeatable, ({ ask }) => ask.idempotencyKey);
  const each = [...byKey.values()].flatMap(
    (same) => same.find(({ answer }) => answer !== null) ?? same[0] ?? [],
  );
  await inParallel(each, async (deed) => {
    const problem = await repeat(client, deed, all);
    if (problem !== null)
      findings.push(`${deed.ask.method} ${deed.ask.path}, ${deed.ask.idempotencyKey}: ${problem}`);
  });
  return findings;
}

/** The answer to the second of two requests under one key while the first is in progress. */
const UNDER_WAY = 409;

async function repeat(client: AnyClient, deed: Deed, all: readonly Deed[]): Promise<string | null> {
  const first = await client.ask(deed.ask);
  if (!first) return 'no answer';
  if (deed.answer) return differs(deed.answer, first, isNoLonger(deed, all));
  if (first.status >= 300 && !isDeniedByPolicy(first))
    return `answered ${first.status} after its answer was lost`;
  const again = await client.ask(deed.ask);
  if (!again) return 'no answer';
  // The later checks treat the deed as answered.
  deed.answer = first;
  return differs(first, again, false);
}

/** If the permit was revoked later, the gate does not repeat an answer that says otherwise. */
function isNoLonger(deed: Deed, all: readonly Deed[]): boolean {
  const id = deed.kind === 'create' ? deed.answer?.body.id : deed.subject;
  return all.some((other) => other.kind === 'revoke' && other.subject === id);
}

function differs(first: Answer, again: Answer, mayBeRefused: boolean): string | null {
  if (mayBeRefused && again.status === 400) return null;
  if (again.status !== first.status) return `answered ${first.status}, then ${again.status}`;
  if (again.headers['idempotency-replayed'] !== 'true') return 'carried out again';
  const { key: _shownOnce, ...shown } = first.body;
  if (isDeniedByPolicy(first)) return null;
  return isDeepStrictEqual(again.body, shown) ? null : 'answered otherwise';
}
