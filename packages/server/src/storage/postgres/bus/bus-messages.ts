/** Messages of the bus as text: `<sender> <topic> <id>,<id>,…`. What arrives may be anybody's who can use the database. */
import type { Topic } from '../../../gate/kernel/bus.ts';

export interface BusMessage {
  /** The gate that sent it, as it calls itself. */
  sender: string;
  topic: Topic;
  ids: readonly string[];
}

const TOPICS: Readonly<Record<Topic, true>> = { resolved: true, sealed: true, keys: true };
const ID = /^[\w-]{1,100}$/;
const MESSAGE = /^(\w{1,40}) ([a-z]{1,20}) ([\w,-]{1,8000})$/;
/** PostgreSQL refuses a payload of 8000 bytes. All of it is ASCII. */
const MOST_LETTERS = 7900;

/** An id that could not be told is one that nobody has. */
export function isBusId(id: string): boolean {
  return ID.test(id);
}

/** As few messages as hold them all. */
export function writeMessages(sender: string, topic: Topic, ids: Iterable<string>): string[] {
  const messages: string[] = [];
  const start = `${sender} ${topic} `;
  let message = start;
  for (const id of ids) {
    if (message.length + id.length + 1 > MOST_LETTERS) {
      messages.push(message);
      message = start;
    }
    message += message === start ? id : `,${id}`;
  }
  if (message !== start) messages.push(message);
  return messages;
}

/** Undefined for what is none, or is about something that this release does not know. */
export function readMessage(payload: string): BusMessage | undefined {
  const [, sender, topic, list] = MESSAGE.exec(payload) ?? [];
  if (sender === undefined || topic === undefined || list === undefined || !isTopic(topic)) return undefined;
  const ids = list.split(',');
  return ids.every(isBusId) ? { sender, topic, ids } : undefined;
}

function isTopic(text: string): text is Topic {
  return Object.hasOwn(TOPICS, text);
}
