import { InertText } from '../../inert-text/inert-text.tsx';
import { ParameterTree } from '../../parameter-tree/parameter-tree.tsx';
import { Icon } from '../../ui/icon.tsx';
import type { ShownIntent } from './check-hashes.ts';
import { nameOf } from './head.tsx';

/** Set apart from everything the gate vouches for. */
export function AgentsWords({ intent }: { intent: ShownIntent }) {
  const { metadata, source } = intent.hashed;
  const isOwnLabel = source !== null && source !== intent.requester.agent?.name;
  if (Object.keys(metadata).length === 0 && !isOwnLabel) return null;
  return (
    <section className="approve-words" aria-labelledby="agents-words">
      <h2 id="agents-words">
        <Icon name="agent" /> In the requester’s own words
      </h2>
      <p className="approve-words-warning">
        Written by <InertText text={nameOf(intent)} />. Nobody checked it, and it changes nothing about what
        will run.
      </p>
      {isOwnLabel && (
        <p>
          Calls itself <InertText text={source} />.
        </p>
      )}
      {Object.keys(metadata).length > 0 && (
        <ParameterTree params={metadata} label="The requester’s own words" />
      )}
    </section>
  );
}
