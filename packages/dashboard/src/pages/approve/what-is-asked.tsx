import { InertText } from '../../inert-text/inert-text.tsx';
import { sayCount, saySize, sizeOf } from '../../inert-text/text-size.ts';
import { ParameterTree } from '../../parameter-tree/parameter-tree.tsx';
import { Card } from '../../ui/card.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Hash } from '../../ui/hash.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import type { HashCheck, ShownIntent } from './check-hashes.ts';
import type { Compared } from './compared.ts';

/** The parameters: as a tree, as the exact text that was hashed, and the hashes, computed again by this page. */
export function WhatIsAsked({
  intent,
  check,
  compared,
}: {
  intent: ShownIntent;
  check: HashCheck;
  compared: Compared | null;
}) {
  const count = Object.keys(check.params).length;
  return (
    <Card title="Parameters">
      <CheckNotice check={check} />
      {compared && (
        <p className="approve-since" data-same={compared.changes.length === 0 || undefined}>
          {compared.summary}
        </p>
      )}
      <Tabs
        label="Parameters"
        tabs={[
          {
            id: 'tree',
            label: `Readable (${sayCount(count)})`,
            content: (
              <ParameterTree
                params={check.params}
                label="Parameters"
                {...(compared && { notes: compared.notes })}
              />
            ),
          },
          { id: 'exact', label: 'Exact text', content: <ExactText intent={intent} /> },
          { id: 'hashes', label: 'Hashes', content: <Hashes intent={intent} check={check} /> },
        ]}
      />
      {check.kind === 'same' && (
        <p className="approve-checked">
          <Icon name="check" /> This is what was hashed; your browser checked.{' '}
          <Hash value={check.intentHash} what="the intent hash" />
        </p>
      )}
    </Card>
  );
}

function CheckNotice({ check }: { check: HashCheck }) {
  if (check.kind === 'different') {
    return (
      <Notice tone="bad" title="Do not approve this: what is shown is not what was hashed">
        {check.what} Something changed it on the way, or the gate is at fault. This page offers no approval.
        Tell whoever runs the gate.
      </Notice>
    );
  }
  if (check.kind === 'erased') {
    return (
      <Notice tone="info" title="The texts of this request were erased">
        Hashes, times and outcomes stay; parameters and words are gone.
      </Notice>
    );
  }
  return null;
}

function ExactText({ intent }: { intent: ShownIntent }) {
  const text = intent.canonical_params;
  return (
    <div className="approve-exact">
      <p className="soft small">
        Canonical JSON (RFC 8785), {saySize(sizeOf(text))}: the text whose SHA-256 is the hash of the
        parameters.
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable by keyboard */}
      <section className="approve-exact-text mono" aria-label="Exact text of the parameters" tabIndex={0}>
        <InertText text={text} fold={4000} />
      </section>
      <CopyButton text={text} what="the exact text" label="Copy the exact text" />
    </div>
  );
}

function Hashes({ intent, check }: { intent: ShownIntent; check: HashCheck }) {
  return (
    <dl className="facts approve-hashes">
      <dt>Parameters</dt>
      <dd>
        <Hash value={intent.params_hash} what="the hash of the parameters" long />
      </dd>
      <dt>Whole request</dt>
      <dd>
        <Hash value={intent.intent_hash} what="the intent hash" long />
        <p className="soft small">
          Over project, request, action, parameters, requester, source, risk, the agent’s own words and the
          expiry. It stands in the permit and in the receipt.
        </p>
      </dd>
      <dt>Computed by your browser</dt>
      <dd>
        {check.kind === 'same'
          ? 'The same, both.'
          : check.kind === 'erased'
            ? 'Not possible: erased.'
            : 'Not the same.'}
      </dd>
    </dl>
  );
}
