/** A sentence for each audit event; it follows the name of the actor. */
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { type Data, type EventGroup, events } from './event.words.ts';
import { fillIn } from './fill-in.tsx';

const EVENTS = (Object.keys(events) as EventGroup[]).flatMap((group) =>
  Object.entries(events[group]).map(([type, [label, says]]) => ({ type, group, label, says })),
);

export const EVENTS_BY_GROUP = Map.groupBy(EVENTS, ({ group }) => group);

/** The sentence after the actor's name. For a type without a sentence, its name. */
export function describeEvent(type: string, data: Data, actorId: string): ReactNode {
  const says = EVENTS.find((event) => event.type === type)?.says;
  if (says === undefined) return type.replaceAll(/[._]/g, ' ');
  return fillIn(typeof says === 'string' ? says : says(data, actorId), data);
}

/** A link to the request that the event is about. */
export function IntentLink({ intentId }: { intentId: string }) {
  return (
    <Link to={`/approve/${encodeURIComponent(intentId)}`} className="mono reachable">
      {intentId}
    </Link>
  );
}
