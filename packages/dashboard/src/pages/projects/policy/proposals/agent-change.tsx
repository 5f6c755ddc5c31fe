import { useQuery } from '@tanstack/react-query';
import { InertText } from '../../../../inert-text/inert-text.tsx';
import { Facts } from '../../../../ui/facts.tsx';
import { membersQuery, useProjectId } from '../../project-frame/queries.ts';
import type { PolicyProposal } from '../wire.ts';
import { compareLabels, type LabelChange } from './compare-labels.ts';
import * as words from './proposals.words.ts';

type Change = NonNullable<PolicyProposal['agent']>;

/** The name that the agent's page uses for a property. */
export function sayProperty(property: string): string {
  return words.agentProperties[property] ?? property;
}

/** The changes to an agent: each property before and after, and each label separately. */
export function AgentChange({ change }: { change: Change }) {
  const { data } = useQuery(membersQuery(useProjectId()));
  const show = (property: string, value: unknown): string => {
    if (value === null || value === undefined) return words.notSet;
    if (property === 'owner_id') return data?.items.find(({ id }) => id === value)?.email ?? String(value);
    return String(value);
  };
  return (
    <Facts
      of={Object.fromEntries(
        Object.keys(change.after).map((property) => [
          sayProperty(property),
          property === 'labels' ? (
            <ul key={property} className="policy-labels">
              {compareLabels(change.before.labels, change.after.labels).map((label) => (
                <li key={label.name}>
                  <Label change={label} />
                </li>
              ))}
            </ul>
          ) : (
            <Replaced
              key={property}
              before={show(property, change.before[property])}
              after={show(property, change.after[property])}
            />
          ),
        ]),
      )}
    />
  );
}

/** The old value, and the new one that replaces it. */
function Replaced({ before, after }: { before: string | undefined; after: string | undefined }) {
  return (
    <>
      {before !== undefined && (
        <del>
          <InertText text={before} />
        </del>
      )}{' '}
      {after !== undefined && (
        <ins>
          <InertText text={after} />
        </ins>
      )}
    </>
  );
}

/** A label as rule conditions compare it: `team = "support"`. */
function Label({ change: { name, before, after } }: { change: LabelChange }) {
  const kind = before === undefined ? 'added' : after === undefined ? 'removed' : 'changed';
  const written = (value: string | undefined) => value && `${name} = ${value}`;
  return (
    <>
      <span className="soft">{words.labelChanges[kind]}</span>{' '}
      <Replaced before={written(before)} after={written(after)} />
    </>
  );
}
