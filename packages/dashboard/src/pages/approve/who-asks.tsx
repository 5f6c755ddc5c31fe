import { Link } from 'react-router';
import type { ShownIntent } from '../../decide/check-hashes.ts';
import { InertText } from '../../inert-text/inert-text.tsx';
import { StatusBadge } from '../../ui/badge.tsx';
import { Card } from '../../ui/card.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { formatLifetime } from '../../ui/format.ts';
import { DateTime } from '../../ui/time.tsx';

const SOURCE_TYPES: Record<ShownIntent['hashed']['source_type'], string> = {
  ai_agent: 'AI agent',
  service: 'service',
  ci: 'build pipeline',
  script: 'script',
  human: 'person',
  other: 'other',
};

const EXPIRY_WORDS: Partial<Record<ShownIntent['status'], string>> = {
  pending: 'Expires',
  expired: 'Expired',
};

/** What the gate knows about the requester, and the request's times and IDs. */
export function WhoAsks({ intent }: { intent: ShownIntent }) {
  const { requester, hashed } = intent;
  return (
    <Card title="Requester">
      <dl className="facts">
        <dt>{requester.type === 'agent' ? 'Agent' : 'Secret key'}</dt>
        <dd>
          <InertText text={requester.display} />{' '}
          {requester.type === 'agent' && requester.agent && <StatusBadge status={requester.agent.status} />}
        </dd>
        {requester.type === 'key' && requester.agent && (
          <>
            <dt>On behalf of the agent</dt>
            <dd>
              <InertText text={requester.agent.name} /> <StatusBadge status={requester.agent.status} />
            </dd>
          </>
        )}
        <dt>Authenticated with</dt>
        <dd>its {requester.type === 'agent' ? 'own key' : 'secret key'}</dd>
        <dt>Self-reported type</dt>
        <dd>{SOURCE_TYPES[hashed.source_type]}</dd>
        <dt>Requested</dt>
        <dd>
          <DateTime at={intent.created_at} />
          {intent.asked_again_from !== null && (
            <>
              , <Link to={`/approve/${intent.asked_again_from}`}>resubmitted from an earlier request</Link>
            </>
          )}
        </dd>
        <dt>{EXPIRY_WORDS[intent.status] ?? 'Expiry'}</dt>
        <dd>
          <DateTime at={hashed.expires_at} />
        </dd>
        <dt>Permit</dt>
        <dd>single use, valid for {formatLifetime(intent.permit.lifetime_seconds)} after approval</dd>
        <dt>Request ID</dt>
        <dd>
          <code>{intent.id}</code> <CopyButton text={intent.id} what="the request ID" />
        </dd>
      </dl>
    </Card>
  );
}
