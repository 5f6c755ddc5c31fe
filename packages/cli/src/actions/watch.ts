import { setTimeout as pause } from 'node:timers/promises';
import type { AuditRecord } from '@permitry/protocol';
import type { Permitry } from '@permitry/sdk';
import { EXIT_CODES } from '../intents/exit-codes.ts';
import { tellDecision } from '../intents/tell-decision.ts';
import { waitForDecision } from '../intents/wait-for-decision.ts';
import { followProjects } from '../live/follow-projects.ts';
import { paint } from '../printing/paint.ts';
import { printLine } from '../printing/print-line.ts';
import { sayVisibly } from '../printing/say-visibly.ts';
import { openClientAs } from '../profile/open-client.ts';
import { chooseProjects, type Me, readMe } from '../profile/read-me.ts';
import { type ConnectionFlags, type Profile, readProfile } from '../profile/read-profile.ts';

export interface WatchFlags extends ConnectionFlags {
  project?: string;
  type?: string;
  /** Seconds. */
  wait?: number;
}

export async function watch(id: string | undefined, flags: WatchFlags): Promise<void> {
  const profile = readProfile(flags);
  const client = openClientAs(profile);
  const me = await readMe(client);
  if (id !== undefined) return watchOne(client, profile, me, id, flags);
  const types = flags.type?.split(',');
  const never = new AbortController();
  let open = 0;
  const projectIds = chooseProjects(me, flags.project);
  await followProjects(
    profile,
    projectIds,
    {
      signal: never.signal,
      ...(types ? { types } : {}),
      onOpen() {
        open += 1;
        if (open === projectIds.length) process.stderr.write(flags.json ? '' : 'Watching; Ctrl-C ends it.\n');
      },
    },
    (event, projectId) => tellEvent(event, flags, projectId),
  );
}

/** The sealing of what happened last takes a moment longer than its answer. */
const LAST_EVENTS_MS = 1500;

/** What happens to one request, as far as the credential may read events, until it is decided. */
async function watchOne(
  client: Permitry,
  profile: Profile,
  me: Me,
  id: string,
  flags: WatchFlags,
): Promise<void> {
  const intent = await client.intents.get(id);
  const ending = new AbortController();
  const readsEvents = me.kind === 'user' || me.kind === 'secret';
  let resolved = false;
  const following =
    readsEvents && intent.status === 'pending'
      ? followProjects(
          profile,
          me.projects.map((project) => project.id),
          { signal: ending.signal },
          (event) => {
            if (event.intent_id !== id) return;
            tellEvent(event, flags);
            if (/^intent\.(approved|denied|expired)$/.test(event.type)) resolved = true;
          },
        ).catch(() => undefined)
      : undefined;
  try {
    const decided = await waitForDecision(client, intent, { waitSeconds: flags.wait });
    const { status, action, resolved_by, resolved_at, reason } = decided;
    const until = Date.now() + LAST_EVENTS_MS;
    while (following && status !== 'pending' && !resolved && Date.now() < until) await pause(50);
    if (flags.json)
      printLine({ type: 'ended', intent_id: id, action, status, resolved_by, resolved_at, reason });
    else process.stdout.write(`${tellDecision(decided)}\n`);
    process.exitCode = EXIT_CODES[status];
  } finally {
    ending.abort();
    await following;
  }
}

function tellEvent(event: AuditRecord, { json }: WatchFlags, projectId?: string): void {
  if (json) {
    printLine(projectId === undefined ? event : { project_id: projectId, ...event });
    return;
  }
  const { occurred_at: at, type, intent_id: intentId, actor, data } = event;
  const who = sayVisibly(actor.display ?? actor.id);
  // Hashes are for programs; all else stands there whole.
  const properties = Object.entries(data).filter(
    ([name, value]) => value !== null && !name.endsWith('_hash'),
  );
  const rest = properties.map(([name, value]) => sayVisibly(`${name}=${JSON.stringify(value)}`)).join(' ');
  process.stdout.write(
    `${paint('dim', sayVisibly(at.slice(11, 19)))}  ${sayVisibly(type).padEnd(17)}  ${sayVisibly(intentId ?? '-')}  ${who}  ${paint('dim', rest)}\n`,
  );
}
