import { Fold } from '../inert-text/folds.tsx';
import { ParameterTree } from '../parameter-tree/parameter-tree.tsx';
import { formatCount } from '../ui/format.ts';
import { Hash } from '../ui/hash.tsx';
import { Icon } from '../ui/icon.tsx';
import { later } from '../ui/later.tsx';
import { Notice } from '../ui/notice.tsx';
import { Tabs } from '../ui/tabs.tsx';
import type { HashCheck } from './check-hashes.ts';
import type { Review } from './review.ts';

// Loaded when the tab is opened, so that the request appears sooner. While it loads, its content counts as folded.
const ExactText = later(() => import('./exact-parameters.tsx'), 'ExactText', <Fold />);
const Hashes = later(() => import('./exact-parameters.tsx'), 'Hashes', <Fold />);

/** The parameters in three tabs: a tree, the exact text that was hashed, and the hashes as this page computed them. */
export function ShownParameters({ review }: { review: Review }) {
  const { intent, check, compared } = review;
  const count = Object.keys(check.params).length;
  return (
    <>
      <CheckNotice check={check} />
      {compared && (
        <p className="decide-since" data-same={compared.changes.length === 0 || undefined}>
          {compared.summary}
        </p>
      )}
      <Tabs
        label="Parameters"
        tabs={[
          {
            id: 'tree',
            label: `Formatted (${formatCount(count)})`,
            content: (
              <ParameterTree
                params={check.params}
                label="Parameters"
                {...(compared && { notes: compared.notes })}
              />
            ),
          },
          { id: 'exact', label: 'Canonical JSON', content: <ExactText intent={intent} /> },
          {
            id: 'hashes',
            label: 'Hashes',
            content: (
              <>
                <Fold />
                <Hashes intent={intent} check={check} />
              </>
            ),
          },
        ]}
      />
      {check.kind === 'same' && (
        <p className="decide-checked">
          <Icon name="check" /> Hashes verified in your browser{' '}
          <Hash value={check.intentHash} what="the intent hash" />
        </p>
      )}
    </>
  );
}

export function CheckNotice({ check }: { check: HashCheck }) {
  if (check.kind === 'different') {
    return (
      <Notice tone="bad" title="Do not approve this: what is shown is not what was hashed">
        {check.what} Something changed it on the way, or the gate is at fault. It can't be approved here. Tell
        the operator of the gate.
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
