import type { JsonValue } from '@permitry/protocol';
import { foldLines } from '../printing/fold-lines.ts';
import { paint, sayVisibly, shortAge } from '../printing/say.ts';
import { beware, sayOddWords } from '../printing/say-odd-words.ts';
import type { ReviewedIntent } from './reviewed-intent.ts';
import { paintStatus } from './tell-decision.ts';

/**
 * The whole request, as lines for a terminal. Nothing is left out or cut. Texts of others, the gate included, reach the
 * terminal only as visible characters. Strings are in quotes, and invisible characters appear as numbers. Anyone who
 * controls the terminal controls what the approver believes they sign.
 *
 * @param stream The stream for the lines. Default: stdout.
 */
export function describeIntent(
  intent: ReviewedIntent,
  { columns }: { columns?: number | undefined } = process.stdout,
): string {
  return foldLines(toLines(intent), columns);
}

function toLines(intent: ReviewedIntent): string {
  const { hashed, requester, project, policy, permit } = intent;
  const agent =
    requester.agent && `agent ${quoted(requester.agent.name)}, ${sayVisibly(requester.agent.status)}`;
  const facts: [string, string | null][] = [
    ['Request', `${sayVisibly(intent.id)}  ${paintStatus(intent.status)}${since(intent)}`],
    ['Action', paint('bold', sayVisibly(hashed.action))],
    [
      'Project',
      `${quoted(project.name)} (${sayVisibly(project.id)}), ${sayVisibly(project.mode)}${project.stopped ? ', stopped' : ''}`,
    ],
    [
      'Requested by',
      `${quoted(requester.display)} (${sayVisibly(hashed.requester)})${agent ? `, ${agent}` : ''}`,
    ],
    [
      'Source',
      `${hashed.source === null ? 'not set' : quoted(hashed.source)} (${sayVisibly(hashed.source_type)})`,
    ],
    ['Risk', intent.risk_rated ? paintRisk(hashed.risk_tier) : `${hashed.risk_tier} (not rated)`],
    [
      'Rule',
      policy.rule === null ? null : quoted(policy.rule) + (policy.reason ? `: ${quoted(policy.reason)}` : ''),
    ],
    ['Requested', sayVisibly(intent.created_at)],
    [
      'Expires',
      `${sayVisibly(hashed.expires_at)}${intent.status === 'pending' ? `, in ${shortAge(hashed.expires_at)}` : ''}`,
    ],
    ['Approvers', intent.asked_of.length === 0 ? null : intent.asked_of.map(quoted).join(', ')],
    ['Approvals', `${intent.approvals_received} of ${intent.approvals_required}${missing(intent)}`],
    ['Proof', intent.proof.tier === 'none' ? null : `an approval requires ${proofWords(intent.proof.tier)}`],
    ['Reason', intent.reason === null ? null : quoted(intent.reason)],
    ['Permit', permit.expires_at === null ? null : describePermit(permit)],
    ['Outcome', intent.outcome && sayVisibly(intent.outcome)],
    ['Page', sayVisibly(intent.approval_url)],
    ['Hash', sayVisibly(intent.intent_hash)],
    ['Erased', intent.erased_at && sayVisibly(intent.erased_at)],
  ];
  const width = Math.max(...facts.map(([name]) => name.length));
  return [
    ...facts.flatMap(([name, text]) =>
      text === null ? [] : [`${paint('dim', name.padEnd(width))}  ${text}`],
    ),
    ...intent.votes.map(
      ({ by, mine, decision, at, method }) =>
        `${paint('dim', 'Decision'.padEnd(width))}  ${sayVisibly(DECISION_WORDS[decision] ?? decision)} by ${quoted(by)}${mine ? ' (you)' : ''}, ${sayVisibly(`${method}, ${at}`)}`,
    ),
    '',
    paint('dim', 'Parameters'),
    ...indented(intent.canonical_params),
    ...(Object.keys(hashed.metadata).length === 0
      ? []
      : [
          '',
          paint('dim', "Requester's explanation (unverified)"),
          ...indented(JSON.stringify(hashed.metadata)),
        ]),
    ...comparison(intent),
    ...warnings(intent),
    '',
  ].join('\n');
}

/** Canonical JSON keeps each number and string unchanged when it is indented. */
function indented(json: string): string[] {
  return JSON.stringify(JSON.parse(json), null, 2)
    .split('\n')
    .map((line) => `  ${sayVisibly(line)}`);
}

function quoted(text: string): string {
  return sayVisibly(JSON.stringify(text));
}

function since({ status, resolved_at: at, resolved_by: by }: ReviewedIntent): string {
  if (status === 'pending' || at === null) return '';
  return ` ${sayVisibly(at)}${by === null ? '' : ` by ${quoted(by)}`}`;
}

function missing({ missing: entries }: ReviewedIntent): string {
  if (entries.length === 0) return '';
  const said = entries.map(({ count, from, who, more }) => {
    const people = [...who.map(sayVisibly), ...(more > 0 ? [`${more} more`] : [])].join(', ');
    return `${count} of ${from.map(sayVisibly).join(', ')}${people === '' ? '' : ` (${people})`}`;
  });
  return `; still needed: ${said.join('; ')}`;
}

function describePermit({ expires_at, used_at, revoked_at }: ReviewedIntent['permit']): string {
  if (revoked_at !== null) return sayVisibly(`revoked ${revoked_at}`);
  return sayVisibly(used_at === null ? `valid until ${expires_at}, unused` : `used ${used_at}`);
}

function comparison({ previous, canonical_params: text }: ReviewedIntent): string[] {
  if (previous === null) return [];
  const head = `Last approval: ${sayVisibly(previous.id)} by ${quoted(previous.approved_by)}, ${sayVisibly(previous.approved_at)}`;
  if (previous.canonical_params === text) return ['', paint('dim', `${head}, with the same parameters`)];
  return ['', paint('dim', `${head}, with`), ...indented(previous.canonical_params)];
}

function warnings(intent: ReviewedIntent): string[] {
  const { approved_lately: twin, denied_lately: denied, previous, ...rest } = intent;
  const params = [intent, ...(previous ? [previous] : [])].map(({ canonical_params: text }) =>
    JSON.parse(text),
  );
  const shown = [params, { ...rest, canonical_params: null, denied }];
  return [
    ...(twin ? [beware(sayRepeated(twin))] : []),
    ...(denied ? [beware(sayDenied(denied))] : []),
    ...sayOddWords(shown as unknown as JsonValue),
  ];
}

/** An identical request right after its twin ran is more often a mistake than intended. */
function sayRepeated(twin: NonNullable<ReviewedIntent['approved_lately']>): string {
  const used = twin.used_at !== null ? ' and already used' : twin.revoked_at !== null ? ', then revoked' : '';
  const age = shortAge(twin.approved_at);
  return sayVisibly(`identical to ${twin.id}, approved ${age === 'now' ? 'just now' : `${age} ago`}${used}`);
}

function sayDenied({ by, at, reason, intent_id }: NonNullable<ReviewedIntent['denied_lately']>): string {
  const why = reason === null ? '' : `: ${quoted(reason)}`;
  return `${quoted(by)} denied the same request (${sayVisibly(intent_id)}) at ${sayVisibly(at)}${why}`;
}

function paintRisk(tier: string): string {
  return tier === 'high' || tier === 'critical' ? paint('red', tier) : sayVisibly(tier);
}

const DECISION_WORDS: Readonly<Record<string, string>> = { approve: 'approved', deny: 'denied' };

const PROOF_WORDS: Record<string, string> = {
  session: 'a browser session, a device key or a passkey',
  device: 'a device key or a passkey',
  passkey: 'a passkey, in a browser',
};

function proofWords(tier: string): string {
  return Object.hasOwn(PROOF_WORDS, tier) ? `${PROOF_WORDS[tier]}` : sayVisibly(tier);
}
