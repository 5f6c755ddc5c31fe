import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'react-router';
import { api } from '../../../api/client.ts';
import { InertText } from '../../../inert-text/inert-text.tsx';
import { Badge } from '../../../ui/badge.tsx';
import { Button } from '../../../ui/button.tsx';
import { ConfirmDialog } from '../../../ui/form-dialog.tsx';
import { useNow } from '../../../ui/now.ts';
import { Table } from '../../../ui/table.tsx';
import { RelativeTime } from '../../../ui/time.tsx';
import { agentsQuery, membersQuery, useProject, useProjectId } from '../project-frame/queries.ts';
import type { Key } from '../project-frame/wire.ts';
import * as words from './keys.words.ts';

/** Keys by name, with their last four characters, last use and expiry. */
export function KeyTable({ keys }: { keys: readonly Key[] }) {
  const { mayManage } = useProject();
  const [revoking, setRevoking] = useState<Key | null>(null);
  return (
    <>
      <Table
        caption={words.keyList}
        rows={keys}
        columns={{
          [words.properties.key]: Named,
          [words.properties.kind]: (key) => <KindAndHolder of={key} />,
          [words.properties.lastUsed]: LastUsed,
          [words.properties.expires]: (key) => <Expiry of={key} />,
          [words.properties.rateLimit]: ({ rate_limit_per_minute: limit }) =>
            limit === null ? <span className="soft">{words.notSet}</span> : words.perMinute(limit),
        }}
        actions={
          mayManage
            ? (key) =>
                key.revoked_at === null && (
                  <Button
                    size="s"
                    tone="deny"
                    aria-label={words.revokeNamed(key.name)}
                    onClick={() => setRevoking(key)}
                  >
                    {words.revoke}
                  </Button>
                )
            : undefined
        }
      />
      {revoking && <RevokeDialog revoking={revoking} onClose={() => setRevoking(null)} />}
    </>
  );
}

/** The name of a key or token in lists. */
export function Named({ name, hint }: { name: string; hint: string }) {
  return (
    <>
      <InertText text={name} /> <code className="soft whole">…{hint}</code>
    </>
  );
}

/** The name of a key or token within a sentence. */
export function Titled({ name, hint }: { name: string; hint: string }) {
  return (
    <>
      <strong>
        <InertText text={name} />
      </strong>{' '}
      <code>…{hint}</code>
    </>
  );
}

export function LastUsed({ last_used_at: at }: { last_used_at: string | null }) {
  return at ? <RelativeTime at={at} /> : <span className="soft">{words.never}</span>;
}

/** An agent key belongs to its agent and a secret key to its owner. A verifier key belongs to nobody. */
function KindAndHolder({ of: key }: { of: Key }) {
  const projectId = useProjectId();
  const { data: agents } = useQuery(agentsQuery(projectId));
  const { data: members } = useQuery(membersQuery(projectId));
  const agent = agents?.items.find(({ id }) => id === key.agent_id);
  const owner = members?.items.find(({ id }) => id === key.owner_id);
  const { label } = words.kinds[key.kind];
  const holder = agent ? (
    <Link to={`/projects/${projectId}/agents/${agent.id}`}>
      <InertText text={agent.name} />
    </Link>
  ) : (
    owner && key.kind === 'secret' && <InertText text={owner.email} />
  );
  return <span>{holder ? words.kindOf(label, holder) : label}</span>;
}

const SOON_MS = 7 * 86_400_000;

export function Expiry({ of: key }: { of: { revoked_at: string | null; expires_at: string | null } }) {
  const now = useNow(60_000);
  if (key.revoked_at !== null) return <Badge tone="bad">{words.states.revoked}</Badge>;
  if (key.expires_at === null) return <span className="soft">{words.never}</span>;
  const left = Date.parse(key.expires_at) - now;
  if (left <= 0) return <Badge>{words.states.expired}</Badge>;
  return (
    <span>
      <RelativeTime at={key.expires_at} /> {left < SOON_MS && <Badge tone="warn">{words.states.soon}</Badge>}
    </span>
  );
}

function RevokeDialog({ revoking, onClose }: { revoking: Key; onClose: () => void }) {
  const { projectId, path } = useProject();
  return (
    <ConfirmDialog
      title={words.revokeTitle}
      confirmLabel={words.revokeKey}
      change={() => api.post(path(`/keys/${revoking.id}/revoke`))}
      done={words.revoked(revoking.name)}
      touched={['projects', projectId]}
      onClose={onClose}
    >
      <p>
        {words.revokeConsequence(
          <Titled {...revoking} />,
          words.kinds[revoking.kind].label,
          revoking.last_used_at
            ? words.lastUsed(<RelativeTime at={revoking.last_used_at} />)
            : words.neverUsed,
        )}
      </p>
    </ConfirmDialog>
  );
}
