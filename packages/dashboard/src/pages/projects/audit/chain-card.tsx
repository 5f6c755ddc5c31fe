import { useMutation } from '@tanstack/react-query';
import { useRef } from 'react';
import { api } from '../../../api/client.ts';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { CodeBlock } from '../../../ui/code-block.tsx';
import { CopyButton } from '../../../ui/copy-button.tsx';
import { Facts } from '../../../ui/facts.tsx';
import { formatDuration } from '../../../ui/format.ts';
import { Hash } from '../../../ui/hash.tsx';
import { Icon } from '../../../ui/icon.tsx';
import { ErrorPanel, Notice } from '../../../ui/notice.tsx';
import { useNow } from '../../../ui/now.ts';
import { DateTime } from '../../../ui/time.tsx';
import { Spinner } from '../../../ui/waiting.tsx';
import { useProject } from '../project-frame/queries.ts';
import type { AuditVerdict } from '../project-frame/wire.ts';

/** Checking a chain of millions of events takes minutes. */
const LONGEST_MS = 30 * 60_000;

/** Verifies the whole chain on request, and exports the log as a file that anyone can check without the gate. */
export function ChainCard() {
  const { projectId, path } = useProject();
  const stop = useRef<AbortController | null>(null);
  const verify = useMutation({
    mutationFn: () => {
      const controller = new AbortController();
      stop.current = controller;
      return api.get<AuditVerdict>(path('/audit/verify'), {
        signal: controller.signal,
        timeoutMs: LONGEST_MS,
      });
    },
  });
  const cancel = () => {
    stop.current?.abort();
    verify.reset();
  };
  // The same name that the gate gives it.
  const exportName = `audit-${projectId}-${new Date().toISOString().slice(0, 10)}.jsonl`;
  return (
    <Card
      title="Is the record whole?"
      tone={verify.data && (verify.data.valid ? 'good' : 'bad')}
      actions={
        <>
          <Button icon="shield" busy={verify.isPending} onClick={() => verify.mutate()}>
            Verify the chain
          </Button>
          <a className="button" data-tone="secondary" href={path('/audit/export')} download={exportName}>
            <Icon name="download" />
            Export
          </a>
        </>
      }
    >
      <div className="stack">
        {verify.isIdle && (
          <p className="soft">
            Verifying recomputes every hash from what is stored, here in the gate. An export can be verified
            without it.
          </p>
        )}
        {verify.isPending && <Running since={verify.submittedAt} onCancel={cancel} />}
        <ErrorPanel error={verify.error} />
        {verify.data && <Verdict verdict={verify.data} />}
        <details className="project-fold">
          <summary>Verify an export yourself</summary>
          <div className="stack tight">
            <CodeBlock
              code={`npx permitry audit verify ${exportName}`}
              title="Without the gate"
              what="the command"
              wrap
            />
            <p className="soft small">
              With <code>--since</code> an export or head that you kept, it also shows whether history was
              rewritten or cut off since; with <code>--jwks</code> keys that you kept, that it is this gate
              that signed.
            </p>
          </div>
        </details>
      </div>
    </Card>
  );
}

function Running({ since, onCancel }: { since: number; onCancel: () => void }) {
  // The start time comes from the browser's own clock.
  useNow();
  return (
    <div className="row" role="status">
      <Spinner />
      <span>
        Verifying, for {formatDuration(Date.now() - since)}. A long log takes minutes; the page can be used
        meanwhile.
      </span>
      <Button size="s" onClick={onCancel}>
        Cancel
      </Button>
    </div>
  );
}

function Verdict({ verdict }: { verdict: AuditVerdict }) {
  const { valid, count, sealed_through: sealedThrough, unsealed, head, first_bad: firstBad } = verdict;
  return (
    <>
      {valid ? (
        <Notice tone="good" title="The record is whole.">
          All {count} records verified.
        </Notice>
      ) : (
        <Notice tone="bad" title="The record is not whole.">
          <p>
            {firstBad && (
              <>
                {firstBad.message} <span className="soft">({firstBad.problem.replaceAll('_', ' ')})</span>
                {firstBad.id && (
                  <>
                    {' '}
                    <code>{firstBad.id}</code>
                  </>
                )}
              </>
            )}{' '}
            The {count} records before it verified.
          </p>
        </Notice>
      )}
      <Facts
        of={{
          Verified: <span className="tabular">{count}</span>,
          'Sealed through': <span className="tabular">#{sealedThrough}</span>,
          'Not sealed yet': <span className="tabular">{unsealed}</span>,
          Head: head && (
            <>
              #{head.seq}, <Hash value={head.hash} what="the hash of the head" />, sealed{' '}
              <DateTime at={head.sealed_at} />
            </>
          ),
          'Signed head': head && (
            <>
              <CopyButton text={head.jws} what="the signed head" label="Copy the signed head" />
              <p className="soft small">Kept elsewhere, it shows later whether this history was changed.</p>
            </>
          ),
        }}
      />
    </>
  );
}
