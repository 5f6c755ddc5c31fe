import { Link } from 'react-router';
import { InertText } from '../../inert-text/inert-text.tsx';
import { StatusBadge } from '../../ui/badge.tsx';
import { Card } from '../../ui/card.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { DateTime } from '../../ui/time.tsx';
import type { ShownIntent } from './check-hashes.ts';
import { sayLifetime } from './sentences.ts';

const SOURCE_TYPES: Record<ShownIntent['hashed']['source_type'], string> = {
  ai_agent: 'an AI agent',
  service: 'a service',
  ci: 'a build pipeline',
  script: 'a script',
  human: 'a person',
  other: 'something else',
};

const EXPIRY_WORDS: Partial<Record<ShownIntent['status'], string>> = {
  pending: 'Expires',
  expired: 'Expired',
};

/** What the gate knows of the requester, and of the request's own times and names. */
export function WhoAsks({ intent }: { intent: ShownIntent }) {
  const { requester, hashed } = intent;
  return (
    <Card title="Who asks">
      <dl className="facts">
        <dt>{requester.type === 'agent' ? 'Agent' : 'Secret key'}</dt>
        <dd>
          <InertText text={requester.display} />{' '}
          {requester.type === 'agent' && requester.agent && <StatusBadge status={requester.agent.status} />}
        </dd>
        {requester.type === 'key' && requester.agent && (
          <>
            <dt>In the name of the agent</dt>
            <dd>
              <InertText text={requester.agent.name} /> <StatusBadge status={requester.agent.status} />
            </dd>
          </>
        )}
        <dt>Proved by</dt>
        <dd>
          its {requester.type === 'agent' ? 'own key' : 'key'}; it says that it is{' '}
          {SOURCE_TYPES[hashed.source_type]}
        </dd>
        <dt>Asked</dt>
        <dd>
          <DateTime at={intent.created_at} />
          {intent.asked_again_from !== null && (
            <>
              , <Link to={`/approve/${intent.asked_again_from}`}>again after an earlier request</Link>
            </>
          )}
        </dd>
        <dt>{EXPIRY_WORDS[intent.status] ?? 'Would have expired'}</dt>
        <dd>
          <DateTime at={hashed.expires_at} />
        </dd>
        <dt>Permit lives</dt>
        <dd>{sayLifetime(intent.permit.lifetime_seconds)} after approval, for one use</dd>
        <dt>Request</dt>
        <dd>
          <code>{intent.id}</code> <CopyButton text={intent.id} what="the request’s id" />
        </dd>
      </dl>
    </Card>
  );
}
