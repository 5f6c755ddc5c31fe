/** Notifies open pages that something happened, and where. A page then reads its data again. */
import type { SessionCaller } from '../../gate/access/caller.ts';
import { isLive } from '../../gate/access/session.ts';
import type { GateParts } from '../../open-gate.ts';
import type { EventStream, StreamEnd, StreamWords } from '../../streams/event-stream.ts';
import { type EventStreams, type StreamDoor, USUAL_LIMITS } from '../../streams/event-streams.ts';
import type { Position } from '../../streams/sealed-tails.ts';
import { readPosition, writePosition } from './page-position.ts';

export const PAGES: StreamDoor = {
  ...USUAL_LIMITS,
  inAll: 1000,
  what: 'live pages',
  whenFull: 'No more pages can be kept up to date at the moment.',
};

export interface PageLimits {
  perSession: number;
  /** Over all sessions, so that one person never uses up everybody's streams. */
  perPerson: number;
}

const LIMITS: PageLimits = { perSession: 6, perPerson: 30 };

/**
 * @param lastEventId Where an earlier stream ended. Without one, or with one of other projects, `hello` tells the page
 * to read everything again.
 * @throws GateError `rate_limited` (session or person have all they may), `service_unavailable` (the gate has)
 */
export function openPageStream(
  streams: EventStreams,
  { storage: { read }, clock }: Pick<GateParts, 'storage' | 'clock'>,
  { credentialId, user, memberships }: SessionCaller,
  lastEventId: string | undefined,
  { perSession, perPerson }: PageLimits = LIMITS,
): Promise<EventStream> {
  const roles = describe(memberships);
  const projectIds = memberships.map(({ projectId }) => projectId);
  return streams.open({
    slots: [
      { name: `session ${credentialId}`, whose: 'A session', most: perSession },
      { name: `person ${user.id}`, whose: 'A person', most: perPerson },
    ],
    reader: `${credentialId} ${roles}`,
    async recheck() {
      const session = await read.findSession(credentialId);
      if (!session || !isLive(session, clock.now())) return 'credential';
      return describe(await read.listMemberships(user.id)) === roles ? undefined : 'membership';
    },
    projectIds,
    begin(heads) {
      const resumed = lastEventId === undefined ? undefined : readPosition(lastEventId, projectIds);
      const isKnown = resumed && [...resumed].every(([id, seq]) => seq <= (heads.get(id) ?? 0));
      return { position: isKnown ? resumed : heads, words: wordsOf({ resumed: isKnown === true }) };
    },
  });
}

/** Reasons to end, in words that pages know. */
const ENDS: Record<StreamEnd, 'session' | 'membership' | 'shutdown'> = {
  credential: 'session',
  membership: 'membership',
  unavailable: 'shutdown',
  shutdown: 'shutdown',
  caught_up: 'shutdown',
};

function wordsOf(hello: { resumed: boolean }): StreamWords {
  return {
    hello: (position) => message('hello', hello, position),
    tell({ projectId, events }, before) {
      return events
        .map(({ seq, intentId, type }) =>
          changed({ projectId, intentId, type }, new Map(before).set(projectId, seq)),
        )
        .join('');
    },
    tellMany: (projectId, position) => changed({ projectId, intentId: null, type: 'many' }, position),
    beat: () => ':\n\n',
    goodbye: (reason) => message('end', { reason: ENDS[reason] }),
  };
}

function changed(
  { projectId, intentId, type }: { projectId: string; intentId: string | null; type: string },
  position: Position,
): string {
  return message('changed', { project_id: projectId, intent_id: intentId, type }, position);
}

function message(event: string, data: object, position?: Position): string {
  const id = position ? `id: ${writePosition(position)}\n` : '';
  return `${id}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
}

function describe(memberships: readonly { projectId: string; role: string }[]): string {
  return memberships
    .map(({ projectId, role }) => `${projectId} ${role}`)
    .toSorted()
    .join();
}
