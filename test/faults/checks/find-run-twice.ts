/** Tool calls in progress when their gate was killed: each one ran once or never, and its outcome says which. */
import type { Cast } from '../gate/cast.ts';
import type { AnyClient } from '../gate/client.ts';
import type { Deed } from '../stories/chronicle.ts';
import { inParallel, readAll } from './read-gate.ts';

const OUTCOMES: Record<string, string> = { executed: 'succeeded', unknown: 'unknown' };

/**
 * Resumes each call, as its agent would, and compares the answer with what the tool did and with the intent. Returns
 * the contradictions, in sentences.
 */
export async function findRunTwice(client: AnyClient, cast: Cast, deeds: readonly Deed[]): Promise<string[]> {
  const findings: string[] = [];
  const calls = new Map(deeds.filter(({ kind }) => kind === 'run-tool').map((deed) => [deed.subject, deed]));
  const told = (intentId: string) =>
    deeds.find(
      ({ subject, answer }) => subject === intentId && answer?.status === 200 && 'result' in answer.body,
    );
  const answers = new Map<string, string>();
  await inParallel([...calls], async ([intentId, { ask }]) => {
    const answer = await client.ask(ask);
    const status = String(answer?.body.status ?? JSON.stringify(answer?.body));
    answers.set(intentId, status);
    const before = told(intentId)?.answer?.body.status;
    if (before !== undefined && before !== status)
      findings.push(`${intentId}: it was ${before} and is ${status}`);
    const { outcome } = await client.get(`/v1/intents/${intentId}`, cast.secretKey);
    if (OUTCOMES[status] === undefined || outcome !== OUTCOMES[status])
      findings.push(`${intentId}: the call is ${status}, the outcome ${String(outcome)}`);
  });
  const path = `/v1/projects/${cast.projectId}/mock-connectors/payments`;
  const records = await readAll(client, path, cast.secretKey, 'data');
  for (const [intentId, status] of answers) {
    const times = records.filter(({ intent_id }) => intent_id === intentId).length;
    if (times > 1 || (status === 'executed' && times !== 1))
      findings.push(`${intentId}: the call is ${status}, the tool did it ${times} times`);
  }
  return findings;
}
