/** A sentence for each type of audit event; it follows the name of the actor. */
import type { EventType } from '@permitry/protocol';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { count, type Data, fillIn } from './fill-in.tsx';

type EventGroup =
  | 'requests'
  | 'permits'
  | 'agents'
  | 'project'
  | 'policy'
  | 'keys'
  | 'people'
  | 'sign-in'
  | 'refusals';

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

/**
 * With placeholders for members of the event, as `fillIn` reads them. A few sentences differ when actors act on
 * themselves.
 */
type Sentence = string | ((data: Data, actorId: string) => string);

const MADE_AS: Readonly<Record<string, string>> = {
  auto_approve: ', allowed by policy',
  auto_deny: ', denied by policy',
  require_approval: ', for people to decide',
};

const KEY_KINDS: Readonly<Record<string, string>> = { user: 'user token', verify: 'verifier key' };

const WHY_DISABLED: Readonly<Record<string, string>> = {
  gone: ': it answered 410',
  failing: ': it took nothing for five days',
};

const ERASED: Readonly<Record<string, string>> = {
  intent: 'of one request',
  person: 'of one person',
  age: 'that were old enough',
};

/** In the order of the filter: the label of each type there, and its sentence. */
const WORDS: Record<EventGroup, Partial<Record<EventType, readonly [label: string, says: Sentence]>>> = {
  requests: {
    'intent.created': [
      'Asked',
      ({ decision, rule }) =>
        `asked for {action}${MADE_AS[String(decision)] ?? ''}${typeof rule === 'string' ? ' (rule {rule})' : ''} {risk risk_tier}`,
    ],
    'approval.recorded': [
      'Voted',
      ({ decision }) =>
        `${decision === 'deny' ? 'voted to deny' : 'approved'} by {word method}{because comment}`,
    ],
    'intent.approved': ['Approved', 'approved the request; nothing more was missing'],
    'intent.denied': ['Denied', 'denied the request{because reason}'],
    'intent.expired': ['Expired', 'ended the request: its time was over'],
    'extension.requested': ['Asked for more time', 'asked the requester for more time{because comment}'],
  },
  permits: {
    'permit.issued': ['Permit issued', 'had a permit issued{until expires_at}'],
    'permit.consumed': ['Permit used', 'used the permit'],
    'permit.released': [
      'Use given back',
      'gave the use of the permit back, because nothing was sent{because reason}',
    ],
    'permit.revoked': ['Approval taken back', 'took the approval back{because reason}'],
    'outcome.reported': [
      'Outcome reported',
      ({ outcome }) =>
        `reported that the action ${outcome === 'unknown' ? 'ended in the unknown' : '{word outcome}'}{because detail}`,
    ],
  },
  agents: {
    'agent.registered': ['Registered', 'registered the agent {name}'],
    'agent.updated': ['Changed', 'changed {list changed} of the agent {name}'],
    'agent.owner_left': ['Owner left', 'left the agent {name} without its owner: its keys expire in 7 days'],
    'agent.keys_ending': [
      'Keys expire soon',
      'recorded that the keys of the agent {name} expire within a day',
    ],
    'agent.paused': ['Paused', 'paused the agent {name}'],
    'agent.resumed': ['Resumed', 'resumed the agent {name}'],
    'agent.revoked': ['Revoked', 'revoked, for good, the agent {name}'],
  },
  project: {
    'project.created': ['Made', 'made the project {name}, {word mode}, with {owner} as its owner'],
    'project.renamed': ['Renamed', 'renamed the project from {previous_name} to {name}'],
    'project.limit_updated': [
      'Limit set',
      ({ per_minute }) => {
        if (per_minute === null) return 'left to the gate how many requests a minute there may be';
        if (per_minute === 0) return 'had any number of requests a minute accepted';
        return `had ${count(per_minute, 'request')} a minute accepted`;
      },
    ],
    'project.stopped': ['Stopped', 'stopped the project'],
    'project.started': ['Started', 'started the project again'],
    'project.restored': [
      'Restored from a backup',
      ({ approvals_revoked }) =>
        `restored the gate from a backup of {time copied_at}, and took ${count(approvals_revoked, 'approval')} back`,
    ],
    'chat_hook.updated': ['Chat set up', 'set up which chat is told of requests'],
    'chat_hook.removed': ['Chat removed', 'removed the chat that was told of requests'],
    'webhook.created': ['Webhook made', 'had events sent to {host}'],
    'webhook.updated': [
      'Webhook changed',
      ({ address_changed }) =>
        `changed ${address_changed === true ? 'where a webhook leads, now' : 'the webhook to'} {host}`,
    ],
    'webhook.enabled': ['Webhook enabled', 'enabled the webhook to {host}'],
    'webhook.disabled': [
      'Webhook disabled',
      ({ reason }) => `disabled the webhook to {host}${WHY_DISABLED[String(reason)] ?? ''}`,
    ],
    'webhook.deleted': ['Webhook deleted', 'deleted the webhook to {host}'],
    'webhook.secret_rotated': [
      'Webhook secret rotated',
      ({ overlap_seconds }) =>
        `rotated the secret of a webhook${overlap_seconds === 0 ? '; older ones ended at once' : ''}`,
    ],
    'webhook.secret_dropped': ['Older webhook secrets ended', 'ended the older secrets of a webhook'],
    'webhook.replayed': [
      'Webhook replayed',
      ({ queued }) => `had ${count(queued, 'event')} sent to a webhook once more`,
    ],
    'upstream.added': [
      'Server added',
      ({ kind }) => `put the ${kind === 'stdio' ? 'command' : 'server'} {target} behind the gate as {name}`,
    ],
    'upstream.updated': [
      'Server changed',
      ({ address_changed }) =>
        `changed ${address_changed === true ? 'where the server leads:' : 'the server'} {name}`,
    ],
    'upstream.removed': ['Server removed', 'removed the server {name}'],
    'upstream.tools_found': [
      'Tools found',
      (data) => `found ${count(data.count, 'tool')} of {name} that nobody approved`,
    ],
    'upstream.tools_changed': [
      'Tools changed',
      (data) => `found ${count(data.count, 'tool')} of {name} changed, gone or returned`,
    ],
    'upstream.tools_approved': [
      'Tools approved',
      ({ tools }) => `approved ${count(tools, 'tool')} of {name}`,
    ],
    'upstream.tools_withdrawn': [
      'Tools withdrawn',
      ({ tools }) => `withdrew ${count(tools, 'tool')} of {name}`,
    ],
    'text.erased': ['Texts erased', ({ subject }) => `erased texts ${ERASED[String(subject)] ?? ''}`],
    'retention.updated': [
      'Retention set',
      ({ days }) => {
        if (days === null) return 'left to the gate how long texts are kept';
        return days === 0 ? 'had texts kept for ever' : `had texts kept for ${count(days, 'day')}`;
      },
    ],
  },
  policy: {
    'policy.updated': [
      'Policy put in force',
      'put version {word version} of the policy in force, {hash hash}',
    ],
    'policy.proposed': ['Change proposed', 'proposed a change of the policy{because comment}'],
    'policy.proposal_rejected': [
      'Proposal rejected',
      'rejected the proposed change of the policy{because reason}',
    ],
    'policy.proposal_withdrawn': [
      'Proposal withdrawn',
      'withdrew the proposed change of the policy{because reason}',
    ],
    'policy.second_person_updated': [
      'Second person',
      ({ required }) =>
        required === false
          ? 'let one person change the policy again'
          : 'asked for a second person at every change of the policy',
    ],
    'shadow.updated': ['Shadow policy set', 'set the shadow policy, {hash hash}'],
    'shadow.removed': ['Shadow policy removed', 'removed the shadow policy'],
  },
  keys: {
    'key.created': ['Key made', (data) => `made ${whichKey(data)}`],
    'key.revoked': ['Key revoked', (data) => `revoked ${whichKey(data)}`],
    'signing_key.rotated': ['Signing key rotated', 'let the signing key {code kid} take over'],
    'signing_key.compromised': [
      'Signing key withdrawn',
      'withdrew the signing key {code kid} as compromised',
    ],
  },
  people: {
    'member.invited': ['Invited', 'invited {email} as {word role}'],
    'invitation.revoked': ['Invitation taken back', 'took the invitation of {email} back'],
    'member.added': ['Joined', 'made {email} a member, as {word role}'],
    'member.updated': [
      'Role changed',
      'changed the role of {email} from {word previous_role} to {word role}',
    ],
    'member.removed': [
      'Left',
      ({ user_id }, actorId) =>
        user_id === actorId ? 'left the project' : 'took {email} out of the project',
    ],
    'group.updated': [
      'Group changed',
      ({ created, member_ids }) =>
        `${created === true ? 'made' : 'changed'} the group {name}: ${count(member_ids, 'member')}`,
    ],
    'group.removed': ['Group removed', 'removed the group {name}'],
  },
  'sign-in': {
    'password.changed': ['Password changed', 'changed a password'],
    'second_factor.enabled': ['Second factor set up', 'set a second factor up'],
    'second_factor.removed': ['Second factor removed', 'removed a second factor'],
    'recovery_codes.made': ['Recovery codes made', 'made new recovery codes'],
    'recovery_code.used': ['Recovery code used', 'signed in with a recovery code'],
    'identity.linked': ['Provider linked', 'linked an identity provider'],
    'identity.removed': ['Provider unlinked', 'unlinked an identity provider'],
    'passkey.added': ['Passkey added', 'added a passkey'],
    'passkey.removed': ['Passkey removed', 'removed a passkey'],
    'passkey.refused': ['Passkey refused', 'showed a passkey that may be a copy, and was refused'],
    'device_key.added': ['Device key added', 'added a device key'],
    'device_key.removed': ['Device key removed', 'removed a device key'],
    'sign_in.blocked': [
      'Sign-in blocked',
      'made strangers wait who tried to sign in to an account too often',
    ],
    'session.crowded_out': [
      'Session crowded out',
      'ended the session a member had not used for longest: they signed in once more than fits',
    ],
  },
  refusals: {
    'access.refused': [
      'Refused access',
      ({ required }) =>
        `was refused {code route}${required === null || required === undefined ? '' : ', which takes {required}'}`,
    ],
  },
};

function whichKey({ kind, reason }: Data): string {
  const which = KEY_KINDS[String(kind)] ?? '{word kind} key';
  return `the ${which} {name} {code… hint}${typeof reason === 'string' ? ' ({word reason})' : ''}`;
}

const EVENTS = (Object.keys(WORDS) as EventGroup[]).flatMap((group) =>
  Object.entries(WORDS[group]).map(([type, [label, says]]) => ({ type, group, label, says })),
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
