/** Requests by requester and by rule, and decisions by person. The bars in these tables only repeat the numbers. */
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { InertText } from '../../../inert-text/inert-text.tsx';
import { Card } from '../../../ui/card.tsx';
import { formatCount } from '../../../ui/format.ts';
import { Table } from '../../../ui/table.tsx';
import { useProjectId } from '../project-frame/queries.ts';
import type { Overview } from '../project-frame/wire.ts';
import * as words from './overview.words.ts';

export function ByRequester({ groups }: { groups: Overview['by_requester'] }) {
  const projectId = useProjectId();
  const text = words.byRequester;
  const most = mostOf(groups.top, ({ intents }) => intents);
  return (
    <Group title={text.title} others={groups.others} sayOthers={text.others}>
      <Table
        caption={text.caption}
        rows={groups.top}
        columns={{
          [text.requester]: ({ type, id, display }) =>
            type === 'agent' ? (
              <Link to={`/projects/${projectId}/agents/${id}`}>
                <InertText text={display} />
              </Link>
            ) : (
              <InertText text={display} />
            ),
          [text.requests]: ({ intents }) => <Bar of={intents} most={most} />,
          [text.sentForReview]: ({ asked }) => formatCount(asked),
          [text.denied]: (one) => formatCount(one.denied + one.auto_denied),
        }}
        numbers={[text.requests, text.sentForReview, text.denied]}
      />
    </Group>
  );
}

export function ByRule({ groups }: { groups: Overview['by_rule'] }) {
  const text = words.byRule;
  const most = mostOf(groups.top, ({ intents }) => intents);
  return (
    <Group title={text.title} others={groups.others} sayOthers={text.others}>
      <Table
        caption={text.caption}
        rows={groups.top}
        rowKey={({ rule }) => rule ?? ''}
        columns={{
          [text.rule]: ({ rule }) =>
            rule === null ? <span className="soft">{text.byDefault}</span> : <InertText text={rule} />,
          [text.requests]: ({ intents }) => <Bar of={intents} most={most} />,
          [text.approved]: (one) => formatCount(one.approved + one.auto_approved),
          [text.denied]: (one) => formatCount(one.denied + one.auto_denied),
        }}
        numbers={[text.requests, text.approved, text.denied]}
      />
    </Group>
  );
}

export function ByPerson({ groups }: { groups: Overview['by_person'] }) {
  const text = words.byPerson;
  if (groups.top.length === 0) return null;
  const most = mostOf(groups.top, ({ approvals, denials }) => approvals + denials);
  return (
    <Group title={text.title} others={groups.others} sayOthers={text.others}>
      <Table
        caption={text.caption}
        rows={groups.top}
        rowKey={({ person }) => person}
        columns={{
          [text.person]: ({ person }) => <InertText text={person} />,
          [text.decisions]: ({ approvals, denials }) => <Bar of={approvals + denials} most={most} />,
          [text.approvals]: ({ approvals }) => formatCount(approvals),
          [text.denials]: ({ denials }) => formatCount(denials),
        }}
        numbers={[text.decisions, text.approvals, text.denials]}
      />
    </Group>
  );
}

function Group({
  title,
  others,
  sayOthers,
  children,
}: {
  title: string;
  others: number;
  sayOthers: (count: number) => string;
  children: ReactNode;
}) {
  return (
    <section className="stack tight">
      <h2>{title}</h2>
      <Card flush>{children}</Card>
      {others > 0 && <p className="soft small">{sayOthers(others)}</p>}
    </section>
  );
}

function mostOf<T>(groups: readonly T[], sizeOf: (group: T) => number): number {
  return Math.max(1, ...groups.map(sizeOf));
}

/** A number with a bar behind it. */
function Bar({ of, most }: { of: number; most: number }) {
  return (
    <span className="overview-bar">
      <span className="overview-bar-fill" style={{ width: `${(100 * of) / most}%` }} aria-hidden="true" />
      <span className="tabular">{formatCount(of)}</span>
    </span>
  );
}
