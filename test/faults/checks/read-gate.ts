/** Everything that a gate reports about a project over HTTP, for comparison with what the test knows. */
import type { AuditRecord } from '@permitry/protocol';
import type { Cast } from '../gate/cast.ts';
import type { AnyClient } from '../gate/client.ts';

type Thing = Record<string, unknown>;

export interface IntentSeen {
  /** The intent as surface A lists it. */
  listed: Thing;
  /** An approved intent as each surface reads it, with permit and receipt. */
  onA: Thing | null;
  onB: Thing | null;
  /** The result of validating the intent's permit: `valid`, or the reason of the refusal. Null: not approved. */
  permit: string | null;
}

export interface GateSeen {
  intents: Map<string, IntentSeen>;
  policies: Thing[];
  agents: Map<string, Thing>;
  keys: Map<string, Thing>;
  members: Map<string, Thing>;
  groups: Map<string, Thing>;
  otherIsStopped: boolean;
  jwks: { keys: Thing[] };
  /** The sealed log, from the first record on, including all expiries up to then. */
  records: AuditRecord[];
  recordsAsOf: string;
  events: Map<string, AuditRecord[]>;
}

/** The number of simultaneous requests. */
const AT_ONCE = 16;

/** @param readLog Exports the log. Nothing except expiries may happen during the export. */
export async function readGate(
  client: AnyClient,
  cast: Cast,
  readLog: () => Promise<AuditRecord[]>,
): Promise<GateSeen> {
  const { secretKey: key, projectId, other } = cast;
  const project = `/v1/projects/${projectId}`;
  // Any read of an intent past its expiry records the expiry, so the log contains all expiries before this moment.
  const recordsAsOf = new Date().toISOString();
  await readAll(client, '/api/intents', key, 'intents');
  const records = await readLog();
  const listed = await readAll(client, '/api/intents', key, 'intents');
  const intents = new Map<string, IntentSeen>();
  await inParallel(listed, async (intent) => {
    intents.set(String(intent.id), await readIntent(client, cast, intent));
  });
  const [policies = [], agents = [], keys = [], members = [], groups = []] = await Promise.all(
    ['policies/versions', 'agents', 'keys', 'members', 'groups'].map((what) =>
      readAll(client, `${project}/${what}`, key, 'data'),
    ),
  );
  return {
    intents,
    policies,
    agents: byId(agents, 'id'),
    keys: byId(keys, 'id'),
    members: byId(members, 'email'),
    groups: byId(groups, 'name'),
    otherIsStopped: (await client.get(`/v1/projects/${other.projectId}`, other.secretKey)).stopped === true,
    jwks: (await client.get('/.well-known/jwks.json', key)) as { keys: Thing[] },
    records,
    recordsAsOf,
    events: Map.groupBy(
      records.filter((record) => record.intent_id !== null),
      (record) => String(record.intent_id),
    ),
  };
}

async function readIntent(client: AnyClient, cast: Cast, listed: Thing): Promise<IntentSeen> {
  if (listed.status !== 'approved') return { listed, onA: null, onB: null, permit: null };
  const [onA, onB] = await Promise.all(
    ['/api/intents', '/v1/intents'].map((path) => client.get(`${path}/${String(listed.id)}`, cast.secretKey)),
  );
  const token = onA?.permit_token;
  return {
    listed,
    onA: onA ?? null,
    onB: onB ?? null,
    permit: await validate(client, cast, String(token), listed),
  };
}

async function validate(client: AnyClient, cast: Cast, token: string, intent: Thing): Promise<string> {
  const answer = await client.ask({
    method: 'POST',
    path: '/v1/permits/validate',
    key: cast.verifierKey,
    body: { token, action: intent.action, params: intent.context },
  });
  if (answer?.status === 200) return 'valid';
  const error = (answer?.body.error ?? {}) as Thing;
  return String(error.reason ?? error.code ?? 'no answer');
}

export async function readAll(
  client: AnyClient,
  path: string,
  key: string,
  member: string,
): Promise<Thing[]> {
  const all: Thing[] = [];
  let cursor = '';
  do {
    const page = await client.get(`${path}?limit=200${cursor === '' ? '' : `&cursor=${cursor}`}`, key);
    all.push(...(page[member] as Thing[]));
    cursor = page.next_cursor === null ? '' : encodeURIComponent(String(page.next_cursor));
  } while (cursor !== '');
  return all;
}

function byId(things: readonly Thing[], member: string): Map<string, Thing> {
  return new Map(things.map((thing) => [String(thing[member]), thing]));
}

export async function inParallel<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const left = [...items].reverse();
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for (let item = left.pop(); item !== undefined; item = left.pop()) await work(item);
    }),
  );
}
