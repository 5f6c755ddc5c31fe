/** What was asked for, what was decided, and what came of it. */
import { InertText } from '../../../../inert-text/inert-text.tsx';
import { RiskBadge, type RiskTier } from '../../../../ui/badge.tsx';
import { Because, type EventWords, Said, until } from './wording.tsx';

const MADE_AS: Readonly<Record<string, string>> = {
  auto_approve: ', allowed by policy',
  auto_deny: ', denied by policy',
  require_approval: ', for people to decide',
};

export const REQUEST_WORDS = {
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
  'permit.released': {
    group: 'permits',
    label: 'Use given back',
    says: (data) => (
      <>
        gave the use of the permit back, because nothing was sent
        <Because value={data.reason} />
      </>
    ),
  },
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
} satisfies EventWords;
