import { Fold } from '../inert-text/folds.tsx';
import { ParameterTree } from '../parameter-tree/parameter-tree.tsx';
import { Hash } from '../ui/hash.tsx';
import { Icon } from '../ui/icon.tsx';
import { later } from '../ui/later.tsx';
import { Notice } from '../ui/notice.tsx';
import { Tabs } from '../ui/tabs.tsx';
import type { HashCheck } from './check-hashes.ts';
import * as words from './decide.words.ts';
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
        label={words.parameters}
        tabs={[
          {
            id: 'tree',
            label: words.formattedTab(count),
            content: (
              <ParameterTree
                params={check.params}
                label={words.parameters}
                {...(compared && { notes: compared.notes })}
              />
            ),
          },
          { id: 'exact', label: words.canonicalTab, content: <ExactText intent={intent} /> },
          {
            id: 'hashes',
            label: words.hashesTab,
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
          <Icon name="check" /> {words.hashesVerified}{' '}
          <Hash value={check.intentHash} what={words.intentHash} />
        </p>
      )}
    </>
  );
}

export function CheckNotice({ check }: { check: HashCheck }) {
  if (check.kind === 'different') {
    return (
      <Notice tone="bad" title={words.mismatch}>
        {check.what} {words.mismatchConsequence}
      </Notice>
    );
  }
  if (check.kind === 'erased') {
    return (
      <Notice tone="info" title={words.erased}>
        {words.erasedLead}
      </Notice>
    );
  }
  return null;
}
