import { useQuery } from '@tanstack/react-query';
import { useSearchParams } from 'react-router';
import { reading } from '../../../api/reading.ts';
import { LinkButton } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { ErrorPanel, Notice } from '../../../ui/notice.tsx';
import { Segmented } from '../../../ui/segmented.tsx';
import { DateTime } from '../../../ui/time.tsx';
import { Waiting } from '../../../ui/waiting.tsx';
import { ProjectPage } from '../project-frame/project-page.tsx';
import { useProject } from '../project-frame/queries.ts';
import type { Overview } from '../project-frame/wire.ts';
import { DayChart } from './day-chart.tsx';
import { ExpiringCard } from './expiring-card.tsx';
import { Figures } from './figures.tsx';
import { ByPerson, ByRequester, ByRule } from './groups-of-requests.tsx';
import { HowDecided } from './how-decided.tsx';
import * as words from './overview.words.ts';
import './overview.css';

const PERIODS = [
  { value: '7', label: '7 days' },
  { value: '30', label: '30 days' },
  { value: '90', label: '90 days' },
] as const;
type Period = (typeof PERIODS)[number]['value'];

const RENEWED_EVERY_MS = 60_000;

/** A summary of a project: how many requests, how they were decided and by whom, and which expire soon. */
export default function OverviewPage() {
  const { projectId, consolePath } = useProject();
  const [params, setParams] = useSearchParams();
  const period = PERIODS.find(({ value }) => value === params.get('days'))?.value ?? '30';
  const key = ['projects', projectId, 'overview', period];
  const { data, error, isPending, refetch } = useQuery({
    ...reading<Overview>(key, consolePath('/overview'), { days: period }),
    refetchInterval: RENEWED_EVERY_MS,
  });
  return (
    <ProjectPage
      title="Overview"
      actions={
        <Segmented<Period>
          legend="Period"
          options={PERIODS}
          value={period}
          onChange={(days) => setParams(days === '30' ? {} : { days }, { replace: true })}
        />
      }
    >
      <ErrorPanel error={error} onRetry={refetch} />
      {isPending && <Waiting />}
      {data && <Shown overview={data} />}
    </ProjectPage>
  );
}

function Shown({ overview }: { overview: Overview }) {
  const asked = overview.days.reduce((sum, day) => sum + sumOf(day), 0);
  if (asked === 0 && overview.expiring.data.length === 0) return <Nothing />;
  return (
    <>
      <Figures overview={overview} />
      <DayChart days={overview.days} />
      <div className="overview-pair">
        <HowDecided totals={overview.totals} />
        <ExpiringCard expiring={overview.expiring} />
      </div>
      <SampleNote overview={overview} asked={asked} />
      <div className="overview-pair">
        <ByRequester groups={overview.by_requester} />
        <ByRule groups={overview.by_rule} />
      </div>
      <ByPerson groups={overview.by_person} />
      <p className="soft small">
        As of <DateTime at={overview.computed_at} />; days are in UTC.
      </p>
    </>
  );
}

function sumOf({ pending, approved, denied, expired }: Overview['days'][number]): number {
  return pending + approved + denied + expired;
}

/** Appears when the figures do not cover every request. */
function SampleNote({ overview: { sample }, asked }: { overview: Overview; asked: number }) {
  if (sample.complete || sample.since === null) return null;
  return (
    <Notice>
      <p>{words.covers(asked, sample.intents, <DateTime at={sample.since} />)}</p>
    </Notice>
  );
}

function Nothing() {
  const { projectId, mayManage } = useProject();
  return (
    <Card>
      <EmptyState
        icon="overview"
        title="Nothing was asked in this time"
        lead="As soon as an agent asks for something, this page says how much, how it was decided, and how long people took."
        actions={
          mayManage && (
            <LinkButton tone="primary" icon="agent" to={`/projects/${projectId}/agents`}>
              Agents
            </LinkButton>
          )
        }
      />
    </Card>
  );
}
