/** What each kind of audit record says, in a sentence that begins with who did it. */
import type { EventType } from '@permitry/protocol';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { ACCESS_WORDS } from './event-words/access-words.tsx';
import { AGENT_WORDS } from './event-words/agent-words.tsx';
import { ERASURE_WORDS } from './event-words/erasure-words.tsx';
import { KEY_WORDS } from './event-words/key-words.tsx';
import { PEOPLE_WORDS } from './event-words/people-words.tsx';
import { POLICY_WORDS } from './event-words/policy-words.tsx';
import { PROJECT_WORDS } from './event-words/project-words.tsx';
import { REQUEST_WORDS } from './event-words/request-words.tsx';
import { UPSTREAM_WORDS } from './event-words/upstream-words.tsx';
import { WEBHOOK_WORDS } from './event-words/webhook-words.tsx';
import type { Data, EventGroup, EventWords } from './event-words/wording.tsx';

export const GROUP_LABELS: Record<EventGroup, string> = {
  requests: 'Requests and decisions',
  permits: 'Permits and what came of them',
  agents: 'Agents',
  people: 'Members, groups and invitations',
  keys: 'Keys',
  policy: 'Policy',
  project: 'The project',
  refusals: 'Refused access',
  'sign-in': 'Sign-in and accounts',
};

/** In the order of the filter. */
const WORDS: EventWords = {
  ...REQUEST_WORDS,
  ...AGENT_WORDS,
  ...PROJECT_WORDS,
  ...POLICY_WORDS,
  ...KEY_WORDS,
  ...PEOPLE_WORDS,
  ...ACCESS_WORDS,
  ...WEBHOOK_WORDS,
  ...UPSTREAM_WORDS,
  ...ERASURE_WORDS,
};

/** Types that stand in the filter, by group. */
export const EVENTS_BY_GROUP = Map.groupBy(
  Object.entries(WORDS).map(([type, { group, label }]) => ({ type, group, label })),
  ({ group }) => group,
);

/** What the record says after the name of who did it; of a type nobody described yet, its name. */
export function describeEvent(type: string, data: Data, actorId: string): ReactNode {
  return WORDS[type as EventType]?.says(data, actorId) ?? type.replaceAll(/[._]/g, ' ');
}

/** Where the request that a record tells of is shown. */
export function IntentLink({ intentId }: { intentId: string }) {
  return (
    <Link to={`/approve/${encodeURIComponent(intentId)}`} className="mono reachable">
      {intentId}
    </Link>
  );
}
