import { InertText } from '../inert-text/inert-text.tsx';
import { saySize, sizeOf } from '../inert-text/text-size.ts';
import { CopyButton } from '../ui/copy-button.tsx';
import { Hash } from '../ui/hash.tsx';
import type { HashCheck, ShownIntent } from './check-hashes.ts';
import * as words from './exact-parameters.words.ts';

/** The exact text that was hashed. */
export function ExactText({ intent }: { intent: ShownIntent }) {
  const text = intent.canonical_params;
  return (
    <div className="decide-exact">
      <p className="soft small">{words.canonical.about(saySize(sizeOf(text)))}</p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region has to be reachable by keyboard */}
      <section className="decide-exact-text mono" aria-label={words.canonical.region} tabIndex={0}>
        <InertText text={text} fold={4000} />
      </section>
      <CopyButton text={text} what={words.canonical.what} label={words.canonical.copy} />
    </div>
  );
}

/** The hashes from the gate, and the hashes that this browser computed. */
export function Hashes({ intent, check }: { intent: ShownIntent; check: HashCheck }) {
  return (
    <dl className="facts decide-hashes">
      <dt>{words.hashes.parameters}</dt>
      <dd>
        <Hash value={intent.params_hash} what={words.hashes.parametersWhat} long />
      </dd>
      <dt>{words.hashes.request}</dt>
      <dd>
        <Hash value={intent.intent_hash} what={words.hashes.requestWhat} long />
        <p className="soft small">{words.hashes.covers}</p>
      </dd>
      <dt>{words.hashes.computed}</dt>
      <dd>{words.hashes[check.kind]}</dd>
    </dl>
  );
}
