import { useQuery } from '@tanstack/react-query';
import { Fragment } from 'react';
import { InertText } from '../../../../inert-text/inert-text.tsx';
import { membersQuery } from '../../project-frame/queries.ts';
import type { PolicyProposal } from '../wire.ts';
import { compareLabels, type LabelChange } from './compare-labels.ts';

type Change = NonNullable<PolicyProposal['agent']>;

const LABELS: Readonly<Record<string, string>> = {
  name: 'Name',
  fingerprint: 'Fingerprint',
  framework: 'Framework',
  labels: 'Labels',
  risk_tier: 'Minimum risk',
  owner_id: 'Owner',
};

/** What an agent's page calls a member of it. */
export function sayProperty(property: string): string {
  return LABELS[property] ?? property;
}

/** What changes of an agent: each member before and after, and of its labels each by itself. */
export function AgentChange({ projectId, change }: { projectId: string; change: Change }) {
  const { data } = useQuery(membersQuery(projectId));
  const show = (property: string, value: unknown): string => {
    if (value === null || value === undefined) return 'Not set';
    if (property === 'owner_id') return data?.items.find(({ id }) => id === value)?.email ?? String(value);
    return String(value);
  };
  return (
    <dl className="facts">
      {Object.keys(change.after).map((property) => (
        <Fragment key={property}>
          <dt>{sayProperty(property)}</dt>
          <dd>
            {property === 'labels' ? (
              <ul className="policy-labels">
                {compareLabels(change.before.labels, change.after.labels).map((label) => (
                  <li key={label.name}>
                    <Label change={label} />
                  </li>
                ))}
              </ul>
            ) : (
              <>
                <del>
                  <InertText text={show(property, change.before[property])} />
                </del>{' '}
                <ins>
                  <InertText text={show(property, change.after[property])} />
                </ins>
              </>
            )}
          </dd>
        </Fragment>
      ))}
    </dl>
  );
}

/** A label as conditions of rules compare it: `team = "support"`. */
function Label({ change: { name, before, after } }: { change: LabelChange }) {
  const how = before === undefined ? 'added' : after === undefined ? 'removed' : 'changed';
  return (
    <>
      <span className="soft">{how}</span>{' '}
      {how !== 'added' && (
        <del>
          <InertText text={`${name} = ${before}`} />
        </del>
      )}{' '}
      {how !== 'removed' && (
        <ins>
          <InertText text={`${name} = ${after}`} />
        </ins>
      )}
    </>
  );
}
