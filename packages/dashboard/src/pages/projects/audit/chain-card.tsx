import { useMutation } from '@tanstack/react-query';
import { useRef } from 'react';
import { api } from '../../../api/client.ts';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { CodeBlock } from '../../../ui/code-block.tsx';
import { CopyButton } from '../../../ui/copy-button.tsx';
import { Facts } from '../../../ui/facts.tsx';
import { formatCount } from '../../../ui/format.ts';
import { Hash } from '../../../ui/hash.tsx';
import { Icon } from '../../../ui/icon.tsx';
import { ErrorPanel, Notice } from '../../../ui/notice.tsx';
import { useNow } from '../../../ui/now.ts';
import { DateTime } from '../../../ui/time.tsx';
import { Spinner } from '../../../ui/waiting.tsx';
import { useProject } from '../project-frame/queries.ts';
import type { AuditVerdict } from '../project-frame/wire.ts';
import * as words from './audit.words.ts';

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
  // The gate gives the file the same name.
  const exportName = `audit-${projectId}-${new Date().toISOString().slice(0, 10)}.jsonl`;
  return (
    <Card
      title={words.integrity.title}
      tone={verify.data && (verify.data.valid ? 'good' : 'bad')}
      actions={
        <>
          <Button icon="shield" busy={verify.isPending} onClick={() => verify.mutate()}>
            {words.integrity.verify}
          </Button>
          <a className="button" data-tone="secondary" href={path('/audit/export')} download={exportName}>
            <Icon name="download" />
            {words.integrity.exportLog}
          </a>
        </>
      }
    >
      <div className="stack">
        {verify.isIdle && <p className="soft">{words.integrity.lead}</p>}
        {verify.isPending && <Running since={verify.submittedAt} onCancel={cancel} />}
        <ErrorPanel error={verify.error} />
        {verify.data && <Verdict verdict={verify.data} />}
        <details className="project-fold">
          <summary>{words.yourself.title}</summary>
          <div className="stack tight">
            <CodeBlock
              code={`npx permitry audit verify ${exportName}`}
              title={words.yourself.command}
              what={words.yourself.theCommand}
              wrap
            />
            <p className="soft small">{words.keptEarlier(<code>--since</code>, <code>--jwks</code>)}</p>
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
      <span>{words.verifying(Date.now() - since)}</span>
      <Button size="s" onClick={onCancel}>
        {words.integrity.cancel}
      </Button>
    </div>
  );
}

function Verdict({ verdict }: { verdict: AuditVerdict }) {
  const { valid, count, sealed_through: sealedThrough, unsealed, head, first_bad: firstBad } = verdict;
  return (
    <>
      {valid ? (
        <Notice tone="good" title={words.verified(count)} />
      ) : (
        <Notice tone="bad" title={words.failed(firstBad?.seq ?? null)}>
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
            {words.verifiedBefore(count)}
          </p>
        </Notice>
      )}
      <Facts
        of={{
          [words.facts.verified]: <span className="tabular">{formatCount(count)}</span>,
          [words.facts.sealedThrough]: <span className="tabular">#{sealedThrough}</span>,
          [words.facts.unsealed]: <span className="tabular">{words.unsealedEvents(unsealed)}</span>,
          [words.facts.head]:
            head &&
            words.headSealed(
              head.seq,
              <Hash value={head.hash} what={words.hashOfHead} />,
              <DateTime at={head.sealed_at} />,
            ),
          [words.facts.signedHead]: head && (
            <>
              <CopyButton text={head.jws} what={words.theSignedHead} label={words.copySignedHead} />
              <p className="soft small">{words.signedHeadUse}</p>
            </>
          ),
        }}
      />
    </>
  );
}
