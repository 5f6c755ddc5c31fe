import { useQuery } from '@tanstack/react-query';
import { Fragment } from 'react';
import { InertText } from '../../../../inert-text/inert-text.tsx';
import { membersQuery } from '../../project-frame/queries.ts';
import type { PolicyProposal } from '../wire.ts';

type Change = NonNullable<PolicyProposal['agent']>;

const LABELS: Readonly<Record<string, string>> = {
  name: 'Name',
  fingerprint: 'Fingerprint',
  framework: 'Framework',
  labels: 'Labels',
  risk_tier: 'Minimum risk',
  owner_id: 'Owner',
};

/** What changes of an agent: each member before and after. */
export function AgentChange({ projectId, change }: { projectId: string; change: Change }) {
  const { data } = useQuery(membersQuery(projectId));
  const show = (member: string, value: unknown): string => {
    if (value === null || value === undefined) return 'Not set';
    if (member === 'owner_id') return data?.items.find(({ id }) => id === value)?.email ?? String(value);
    if (typeof value !== 'object') return String(value);
    const entries = Object.entries(value);
    return entries.length === 0
      ? 'None'
      : entries.map(([name, label]) => `${name}: ${String(label)}`).join(', ');
  };
  return (
    <dl className="facts">
      {Object.keys(change.after).map((member) => (
        <Fragment key={member}>
          <dt>{LABELS[member] ?? member}</dt>
          <dd>
            <del>
              <InertText text={show(member, change.before[member])} />
            </del>{' '}
            <ins>
              <InertText text={show(member, change.after[member])} />
            </ins>
          </dd>
        </Fragment>
      ))}
    </dl>
  );
}
