/** Messages of the bus as text: `<sender> <topic> <id>,<id>,…`. Anyone who can use the database may have sent them. */
import type { Topic } from '../../../gate/kernel/bus.ts';

export interface BusMessage {
  /** The name of the gate that sent the message. */
  sender: string;
  topic: Topic;
  ids: readonly string[];
}

const TOPICS: Readonly<Record<Topic, true>> = { resolved: true, sealed: true, keys: true };
const ID = /^[\w-]{1,100}$/;
const MESSAGE = /^(\w{1,40}) ([a-z]{1,20}) ([\w,-]{1,8000})$/;
/** PostgreSQL refuses a payload of 8000 bytes. Messages are ASCII, so one character is one byte. */
const MOST_LETTERS = 7900;

/** An id that cannot be written in a message does not exist. */
export function isBusId(id: string): boolean {
  return ID.test(id);
}

/** As few messages as possible for all ids. */
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

/** Undefined for a malformed message, or one about a topic that this release does not know. */
export function readMessage(payload: string): BusMessage | undefined {
  const [, sender, topic, list] = MESSAGE.exec(payload) ?? [];
  if (sender === undefined || topic === undefined || list === undefined || !isTopic(topic)) return undefined;
  const ids = list.split(',');
  return ids.every(isBusId) ? { sender, topic, ids } : undefined;
}

function isTopic(text: string): text is Topic {
  return Object.hasOwn(TOPICS, text);
}
