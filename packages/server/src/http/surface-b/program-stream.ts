/** Streams every sealed event of a project to programs, in order, as the audit route shows it. */
import type { EventType } from '@permitry/protocol';
import { type Caller, isPerson } from '../../gate/access/caller.ts';
import type { SealedEvent } from '../../gate/audit/audit-event.ts';
import { toAuditRecord } from '../../gate/audit/to-audit-record.ts';
import { invalidFields } from '../../gate/kernel/invalid-fields.ts';
import type { Slot } from '../../gate/limits/open-slots.ts';
import type { EventStream, StreamWords } from '../../streams/event-stream.ts';
import {
  type EventStreams,
  type StreamDoor,
  type StreamRequest,
  USUAL_LIMITS,
} from '../../streams/event-streams.ts';

export interface ProgramLimits {
  perCredential: number;
  /** The limit over all tokens, sessions and services of a person. */
  perPerson: number;
  perProject: number;
}

export const PROGRAMS: StreamDoor = {
  ...USUAL_LIMITS,
  inAll: 2000,
  checkMs: 500,
  what: 'event streams at a time',
  whenFull: 'No more event streams can be opened at the moment.',
};
const LIMITS: ProgramLimits = { perCredential: 10, perPerson: 100, perProject: 500 };

export interface ProgramRequest extends Pick<StreamRequest, 'recheck'> {
  caller: Caller;
  projectId: string;
  types: ReadonlySet<EventType> | undefined;
  /** `seq` of the last event that the reader has. Undefined: only new events. */
  after: number | undefined;
  /** False: the stream ends after the events that exist already. */
  follows: boolean;
}

/**
 * @throws GateError `rate_limited` (the credential, person or project has too many streams), `service_unavailable` (the
 * gate has too many, or stops), `invalid_fields` (the log ends before `after`)
 */
export function openProgramStream(
  streams: EventStreams,
  { caller, projectId, after, ...rest }: ProgramRequest,
  limits: ProgramLimits = LIMITS,
): Promise<EventStream> {
  return streams.open({
    ...rest,
    slots: slotsOf(caller, projectId, limits),
    reader: `${caller.credentialId} ${projectId}`,
    projectIds: [projectId],
    begin(heads) {
      const head = heads.get(projectId) ?? 0;
      if (after !== undefined && after > head) {
        const message = `The log ends at ${head}; it has no event ${after}.`;
        throw invalidFields({ path: '/after', message });
      }
      return { position: new Map([[projectId, after ?? head]]), words: wordsOf(projectId) };
    },
  });
}

function slotsOf(caller: Caller, projectId: string, most: ProgramLimits): readonly Slot[] {
  const personId = personOf(caller);
  return [
    { name: `credential ${caller.credentialId}`, whose: 'A credential', most: most.perCredential },
    ...(personId === undefined
      ? []
      : [
          {
            name: `person ${personId}`,
            whose: 'A person, with all their credentials,',
            most: most.perPerson,
          },
        ]),
    { name: `project ${projectId}`, whose: 'A project', most: most.perProject },
  ];
}

/** The person who reads, or whose service reads. */
function personOf(caller: Caller): string | undefined {
  if (caller.kind === 'secret') return caller.owner.id;
  return isPerson(caller) ? caller.user.id : undefined;
}

function wordsOf(projectId: string): StreamWords {
  return {
    hello: (position) => `retry: ${retryMs()}\nid: ${position.get(projectId)}\n\n`,
    tell: ({ events }) => events.map(toText).join(''),
    // The ID says how far the stream has read, also when a filter skips all events.
    beat: (position) => `:\nid: ${position.get(projectId)}\n\n`,
    goodbye: (reason) => `event: end\nretry: ${retryMs()}\ndata: ${JSON.stringify({ reason })}\n\n`,
  };
}

/** Random, so that readers do not all reconnect at the same time when their gate stops. */
function retryMs(): number {
  return 500 + Math.floor(Math.random() * 1500);
}

/** An event is turned into text once for all streams. */
const TEXTS = new WeakMap<SealedEvent, string>();

function toText(event: SealedEvent): string {
  let text = TEXTS.get(event);
  if (text === undefined) {
    // JSON has no line breaks of its own, so one line holds all of it.
    text = `id: ${event.seq}\ndata: ${JSON.stringify(toAuditRecord(event))}\n\n`;
    TEXTS.set(event, text);
  }
  return text;
}
