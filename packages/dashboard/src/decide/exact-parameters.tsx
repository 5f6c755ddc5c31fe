import { InertText } from '../inert-text/inert-text.tsx';
import { saySize, sizeOf } from '../inert-text/text-size.ts';
import { CopyButton } from '../ui/copy-button.tsx';
import { Hash } from '../ui/hash.tsx';
import type { HashCheck, ShownIntent } from './check-hashes.ts';

/** The exact text that was hashed. */
export function ExactText({ intent }: { intent: ShownIntent }) {
  const text = intent.canonical_params;
  return (
    <div className="decide-exact">
      <p className="soft small">
        Canonical JSON (RFC 8785), {saySize(sizeOf(text))}: the text whose SHA-256 is the hash of the
        parameters.
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region has to be reachable by keyboard */}
      <section className="decide-exact-text mono" aria-label="Exact text of the parameters" tabIndex={0}>
        <InertText text={text} fold={4000} />
      </section>
      <CopyButton text={text} what="the exact text" label="Copy the exact text" />
    </div>
  );
}

/** The hashes from the gate, and the hashes that this browser computed. */
export function Hashes({ intent, check }: { intent: ShownIntent; check: HashCheck }) {
  return (
    <dl className="facts decide-hashes">
      <dt>Parameters</dt>
      <dd>
        <Hash value={intent.params_hash} what="the hash of the parameters" long />
      </dd>
      <dt>Whole request</dt>
      <dd>
        <Hash value={intent.intent_hash} what="the intent hash" long />
        <p className="soft small">
          Covers project, request, action, parameters, requester, source, risk, the requester’s explanation
          and the expiry. The permit and the receipt hold it.
        </p>
      </dd>
      <dt>Computed by your browser</dt>
      <dd>
        {check.kind === 'same'
          ? 'Both are the same.'
          : check.kind === 'erased'
            ? 'Not possible: the texts were erased.'
            : 'Not the same.'}
      </dd>
    </dl>
  );
}
