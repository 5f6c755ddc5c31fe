/** What each kind of audit record says, in a sentence that begins with who did it. */
import type { EventType } from '@permitry/protocol';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { InertText } from '../../../inert-text/inert-text.tsx';
import { RiskBadge, type RiskTier } from '../../../ui/badge.tsx';
import { DateTime } from '../../../ui/time.tsx';

type Data = Readonly<Record<string, unknown>>;
/** @param actorId Who did it: some things are said otherwise of oneself. */
type Says = (data: Data, actorId: string) => ReactNode;

export type EventGroup =
  | 'requests'
  | 'permits'
  | 'agents'
  | 'people'
  | 'keys'
  | 'policy'
  | 'project'
  | 'refusals'
  | 'sign-in';

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

/** A text that may have been erased, or was never there. */
function Said({ value }: { value: unknown }) {
  if (typeof value === 'string') return <InertText text={value} />;
  return <span className="soft">(erased)</span>;
}

/** The same behind a colon, for reasons and comments; nothing when none was given. */
function Because({ value }: { value: unknown }) {
  if (typeof value !== 'string' || value === '') return null;
  return (
    <>
      : “<InertText text={value} fold={300} />”
    </>
  );
}

function until(value: unknown): ReactNode {
  return typeof value === 'string' ? (
    <>
      {' until '}
      <DateTime at={value} />
    </>
  ) : null;
}

function shortHash(value: unknown): ReactNode {
  const text = String(value ?? '');
  return <code title={text}>{text.replace(/^sha256:/, '').slice(0, 12)}</code>;
}

function count(value: unknown, one: string, many: string): string {
  const number = Array.isArray(value) ? value.length : Number(value ?? 0);
  return `${number} ${number === 1 ? one : many}`;
}

const MADE_AS: Readonly<Record<string, string>> = {
  auto_approve: ', allowed by policy',
  auto_deny: ', denied by policy',
  require_approval: ', for people to decide',
};

const WHY_DISABLED: Readonly<Record<string, string>> = {
  gone: ': it answered 410',
  failing: ': it took nothing for five days',
};

const WORDS: Partial<Record<EventType, { group: EventGroup; label: string; says: Says }>> = {
  'intent.created': {
    group: 'requests',
    label: 'Asked',
    says: (data) => (
      <>
        asked for <Said value={data.action} />
        {MADE_AS[String(data.decision)]}
        {typeof data.rule === 'string' && (
          <>
            {' (rule '}
            <InertText text={data.rule} />)
          </>
        )}{' '}
        <RiskBadge tier={data.risk_tier as RiskTier} />
      </>
    ),
  },
  'approval.recorded': {
    group: 'requests',
    label: 'Voted',
    says: (data) => (
      <>
        {data.decision === 'deny' ? 'voted to deny' : 'approved'} by {String(data.method)}
        <Because value={data.comment} />
      </>
    ),
  },
  'intent.approved': {
    group: 'requests',
    label: 'Approved',
    says: () => 'approved the request; nothing more was missing',
  },
  'intent.denied': {
    group: 'requests',
    label: 'Denied',
    says: (data) => (
      <>
        denied the request
        <Because value={data.reason} />
      </>
    ),
  },
  'intent.expired': {
    group: 'requests',
    label: 'Expired',
    says: () => 'ended the request: its time was over',
  },
  'extension.requested': {
    group: 'requests',
    label: 'Asked for more time',
    says: (data) => (
      <>
        asked the requester for more time
        <Because value={data.comment} />
      </>
    ),
  },
  'permit.issued': {
    group: 'permits',
    label: 'Permit issued',
    says: (data) => <>had a permit issued{until(data.expires_at)}</>,
  },
  'permit.consumed': { group: 'permits', label: 'Permit used', says: () => 'used the permit' },
  'permit.revoked': {
    group: 'permits',
    label: 'Approval taken back',
    says: (data) => (
      <>
        took the approval back
        <Because value={data.reason} />
      </>
    ),
  },
  'outcome.reported': {
    group: 'permits',
    label: 'Outcome reported',
    says: (data) => (
      <>
        reported that the action {data.outcome === 'unknown' ? 'ended in the unknown' : String(data.outcome)}
        <Because value={data.detail} />
      </>
    ),
  },
  'agent.registered': {
    group: 'agents',
    label: 'Registered',
    says: (data) => (
      <>
        registered the agent <Said value={data.name} />
      </>
    ),
  },
  'agent.updated': {
    group: 'agents',
    label: 'Changed',
    says: (data) => (
      <>
        changed {Array.isArray(data.changed) ? data.changed.join(', ') : 'something'} of the agent{' '}
        <Said value={data.name} />
      </>
    ),
  },
  'agent.paused': { group: 'agents', label: 'Paused', says: (data) => agent('paused', data) },
  'agent.resumed': { group: 'agents', label: 'Resumed', says: (data) => agent('resumed', data) },
  'agent.revoked': { group: 'agents', label: 'Revoked', says: (data) => agent('revoked, for good,', data) },
  'project.created': {
    group: 'project',
    label: 'Made',
    says: (data) => (
      <>
        made the project <Said value={data.name} />, {String(data.mode)}, with <Said value={data.owner} /> as
        its owner
      </>
    ),
  },
  'project.renamed': {
    group: 'project',
    label: 'Renamed',
    says: (data) => (
      <>
        renamed the project from <Said value={data.previous_name} /> to <Said value={data.name} />
      </>
    ),
  },
  'project.limit_updated': {
    group: 'project',
    label: 'Limit set',
    says: (data) =>
      data.per_minute === null
        ? 'left to the gate how many requests a minute there may be'
        : data.per_minute === 0
          ? 'had any number of requests a minute accepted'
          : `had ${count(data.per_minute, 'request', 'requests')} a minute accepted`,
  },
  'project.stopped': { group: 'project', label: 'Stopped', says: () => 'stopped the project' },
  'project.started': { group: 'project', label: 'Started', says: () => 'started the project again' },
  'project.restored': {
    group: 'project',
    label: 'Restored from a backup',
    says: (data) => (
      <>
        restored the gate from a backup of <DateTime at={String(data.copied_at)} />, and took{' '}
        {count(data.approvals_revoked, 'approval', 'approvals')} back
      </>
    ),
  },
  'policy.updated': {
    group: 'policy',
    label: 'Policy put in force',
    says: (data) => (
      <>
        put version {String(data.version)} of the policy in force, {shortHash(data.hash)}
      </>
    ),
  },
  'policy.proposed': {
    group: 'policy',
    label: 'Change proposed',
    says: (data) => (
      <>
        proposed a change of the policy
        <Because value={data.comment} />
      </>
    ),
  },
  'policy.proposal_rejected': {
    group: 'policy',
    label: 'Proposal rejected',
    says: (data) => (
      <>
        rejected the proposed change of the policy
        <Because value={data.reason} />
      </>
    ),
  },
  'policy.proposal_withdrawn': {
    group: 'policy',
    label: 'Proposal withdrawn',
    says: (data) => (
      <>
        withdrew the proposed change of the policy
        <Because value={data.reason} />
      </>
    ),
  },
  'policy.second_person_updated': {
    group: 'policy',
    label: 'Second person',
    says: (data) =>
      data.required === false
        ? 'let one person change the policy again'
        : 'asked for a second person at every change of the policy',
  },
  'shadow.updated': {
    group: 'policy',
    label: 'Shadow policy set',
    says: (data) => <>set the shadow policy, {shortHash(data.hash)}</>,
  },
  'shadow.removed': {
    group: 'policy',
    label: 'Shadow policy removed',
    says: () => 'removed the shadow policy',
  },
  'key.created': { group: 'keys', label: 'Key made', says: (data) => key('made', data) },
  'key.revoked': { group: 'keys', label: 'Key revoked', says: (data) => key('revoked', data) },
  'member.invited': {
    group: 'people',
    label: 'Invited',
    says: (data) => (
      <>
        invited <Said value={data.email} /> as {String(data.role)}
      </>
    ),
  },
  'invitation.revoked': {
    group: 'people',
    label: 'Invitation taken back',
    says: (data) => (
      <>
        took the invitation of <Said value={data.email} /> back
      </>
    ),
  },
  'member.added': {
    group: 'people',
    label: 'Joined',
    says: (data) => (
      <>
        made <Said value={data.email} /> a member, as {String(data.role)}
      </>
    ),
  },
  'member.updated': {
    group: 'people',
    label: 'Role changed',
    says: (data) => (
      <>
        changed the role of <Said value={data.email} /> from {String(data.previous_role)} to{' '}
        {String(data.role)}
      </>
    ),
  },
  'member.removed': {
    group: 'people',
    label: 'Left',
    says: (data, actorId) =>
      data.user_id === actorId ? (
        'left the project'
      ) : (
        <>
          took <Said value={data.email} /> out of the project
        </>
      ),
  },
  'group.updated': {
    group: 'people',
    label: 'Group changed',
    says: (data) => (
      <>
        {data.created === true ? 'made' : 'changed'} the group <Said value={data.name} />:{' '}
        {count(data.member_ids, 'member', 'members')}
      </>
    ),
  },
  'group.removed': {
    group: 'people',
    label: 'Group removed',
    says: (data) => (
      <>
        removed the group <Said value={data.name} />
      </>
    ),
  },
  'password.changed': { group: 'sign-in', label: 'Password changed', says: () => 'changed a password' },
  'second_factor.enabled': {
    group: 'sign-in',
    label: 'Second factor set up',
    says: () => 'set a second factor up',
  },
  'second_factor.removed': {
    group: 'sign-in',
    label: 'Second factor removed',
    says: () => 'removed a second factor',
  },
  'recovery_codes.made': {
    group: 'sign-in',
    label: 'Recovery codes made',
    says: () => 'made new recovery codes',
  },
  'recovery_code.used': {
    group: 'sign-in',
    label: 'Recovery code used',
    says: () => 'signed in with a recovery code',
  },
  'identity.linked': {
    group: 'sign-in',
    label: 'Provider linked',
    says: () => 'linked an identity provider',
  },
  'identity.removed': {
    group: 'sign-in',
    label: 'Provider unlinked',
    says: () => 'unlinked an identity provider',
  },
  'passkey.added': { group: 'sign-in', label: 'Passkey added', says: () => 'added a passkey' },
  'passkey.removed': { group: 'sign-in', label: 'Passkey removed', says: () => 'removed a passkey' },
  'passkey.refused': {
    group: 'sign-in',
    label: 'Passkey refused',
    says: () => 'showed a passkey that may be a copy, and was refused',
  },
  'device_key.added': { group: 'sign-in', label: 'Device key added', says: () => 'added a device key' },
  'device_key.removed': { group: 'sign-in', label: 'Device key removed', says: () => 'removed a device key' },
  'sign_in.blocked': {
    group: 'sign-in',
    label: 'Sign-in blocked',
    says: () => 'made strangers wait who tried to sign in to an account too often',
  },
  'session.crowded_out': {
    group: 'sign-in',
    label: 'Session crowded out',
    says: () => 'ended the session a member had not used for longest: they signed in once more than fits',
  },
  'signing_key.rotated': {
    group: 'keys',
    label: 'Signing key rotated',
    says: (data) => (
      <>
        let the signing key <code>{String(data.kid)}</code> take over
      </>
    ),
  },
  'signing_key.compromised': {
    group: 'keys',
    label: 'Signing key withdrawn',
    says: (data) => (
      <>
        withdrew the signing key <code>{String(data.kid)}</code> as compromised
      </>
    ),
  },
  'access.refused': {
    group: 'refusals',
    label: 'Refused access',
    says: (data) => (
      <>
        was refused <code>{String(data.route)}</code>
        {data.required !== null && data.required !== undefined && (
          <>
            , which takes <Said value={data.required} />
          </>
        )}
      </>
    ),
  },
  'chat_hook.updated': {
    group: 'project',
    label: 'Chat set up',
    says: () => 'set up which chat is told of requests',
  },
  'chat_hook.removed': {
    group: 'project',
    label: 'Chat removed',
    says: () => 'removed the chat that was told of requests',
  },
  'webhook.created': {
    group: 'project',
    label: 'Webhook made',
    says: (data) => (
      <>
        had events sent to <Said value={data.host} />
      </>
    ),
  },
  'webhook.updated': {
    group: 'project',
    label: 'Webhook changed',
    says: (data) => (
      <>
        changed {data.address_changed === true ? 'where a webhook leads, now' : 'the webhook to'}{' '}
        <Said value={data.host} />
      </>
    ),
  },
  'webhook.enabled': {
    group: 'project',
    label: 'Webhook enabled',
    says: (data) => (
      <>
        enabled the webhook to <Said value={data.host} />
      </>
    ),
  },
  'webhook.disabled': {
    group: 'project',
    label: 'Webhook disabled',
    says: (data) => (
      <>
        disabled the webhook to <Said value={data.host} />
        {WHY_DISABLED[String(data.reason)]}
      </>
    ),
  },
  'webhook.deleted': {
    group: 'project',
    label: 'Webhook deleted',
    says: (data) => (
      <>
        deleted the webhook to <Said value={data.host} />
      </>
    ),
  },
  'webhook.secret_rotated': {
    group: 'project',
    label: 'Webhook secret rotated',
    says: (data) =>
      data.overlap_seconds === 0
        ? 'rotated the secret of a webhook; older ones ended at once'
        : 'rotated the secret of a webhook',
  },
  'webhook.secret_dropped': {
    group: 'project',
    label: 'Older webhook secrets ended',
    says: () => 'ended the older secrets of a webhook',
  },
  'webhook.replayed': {
    group: 'project',
    label: 'Webhook replayed',
    says: (data) => <>had {count(data.queued, 'event', 'events')} sent to a webhook once more</>,
  },
  'upstream.added': {
    group: 'project',
    label: 'Server added',
    says: (data) => (
      <>
        put the {data.kind === 'stdio' ? 'command' : 'server'} <Said value={data.target} /> behind the gate as{' '}
        <Said value={data.name} />
      </>
    ),
  },
  'upstream.updated': {
    group: 'project',
    label: 'Server changed',
    says: (data) => (
      <>
        changed {data.address_changed === true ? 'where the server leads:' : 'the server'}{' '}
        <Said value={data.name} />
      </>
    ),
  },
  'upstream.removed': {
    group: 'project',
    label: 'Server removed',
    says: (data) => (
      <>
        removed the server <Said value={data.name} />
      </>
    ),
  },
  'upstream.tools_found': {
    group: 'project',
    label: 'Tools found',
    says: (data) => (
      <>
        found {count(data.count, 'tool', 'tools')} of <Said value={data.name} /> that nobody approved
      </>
    ),
  },
  'upstream.tools_changed': {
    group: 'project',
    label: 'Tools changed',
    says: (data) => (
      <>
        found {count(data.count, 'tool', 'tools')} of <Said value={data.name} /> changed, gone or returned
      </>
    ),
  },
  'upstream.tools_approved': {
    group: 'project',
    label: 'Tools approved',
    says: (data) => (
      <>
        approved {count(data.tools, 'tool', 'tools')} of <Said value={data.name} />
      </>
    ),
  },
  'upstream.tools_withdrawn': {
    group: 'project',
    label: 'Tools withdrawn',
    says: (data) => (
      <>
        withdrew {count(data.tools, 'tool', 'tools')} of <Said value={data.name} />
      </>
    ),
  },
  'text.erased': {
    group: 'project',
    label: 'Texts erased',
    says: (data) => <>erased texts {ERASED[String(data.subject)] ?? ''}</>,
  },
  'retention.updated': {
    group: 'project',
    label: 'Retention set',
    says: (data) =>
      data.days === null
        ? 'left to the gate how long texts are kept'
        : data.days === 0
          ? 'had texts kept for ever'
          : `had texts kept for ${count(data.days, 'day', 'days')}`,
  },
};

const ERASED: Readonly<Record<string, string>> = {
  intent: 'of one request',
  person: 'of one person',
  age: 'that were old enough',
};

function agent(done: string, data: Data): ReactNode {
  return (
    <>
      {done} the agent <Said value={data.name} />
    </>
  );
}

function key(done: string, data: Data): ReactNode {
  const kind =
    { user: 'user token', verify: 'verifier key' }[String(data.kind)] ?? `${String(data.kind)} key`;
  return (
    <>
      {done} the {kind} <Said value={data.name} /> <code>…{String(data.hint)}</code>
      {typeof data.reason === 'string' && ` (${data.reason})`}
    </>
  );
}

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
