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
  { value: '7', label: words.days(7) },
  { value: '30', label: words.days(30) },
  { value: '90', label: words.days(90) },
] as const;
type Period = (typeof PERIODS)[number]['value'];

const REFETCH_MS = 60_000;

/** A summary of a project: how many requests, how they were decided and by whom, and which expire soon. */
export default function OverviewPage() {
  const { projectId, consolePath } = useProject();
  const [params, setParams] = useSearchParams();
  const period = PERIODS.find(({ value }) => value === params.get('days'))?.value ?? '30';
  const key = ['projects', projectId, 'overview', period];
  const { data, error, isPending, refetch } = useQuery({
    ...reading<Overview>(key, consolePath('/overview'), { days: period }),
    refetchInterval: REFETCH_MS,
  });
  return (
    <ProjectPage
      title={words.title}
      actions={
        <Segmented<Period>
          legend={words.period}
          options={PERIODS}
          value={period}
          onChange={(days) => setParams(days === '30' ? {} : { days }, { replace: true })}
        />
      }
    >
      <ErrorPanel error={error} onRetry={refetch} />
      {isPending && <Waiting />}
      {data && <Summary overview={data} />}
    </ProjectPage>
  );
}

function Summary({ overview }: { overview: Overview }) {
  const total = overview.days.reduce((sum, day) => sum + sumOf(day), 0);
  if (total === 0 && overview.expiring.data.length === 0) return <NoRequests />;
  return (
    <>
      <Figures overview={overview} />
      <DayChart days={overview.days} />
      <div className="overview-pair">
        <HowDecided totals={overview.totals} />
        <ExpiringCard expiring={overview.expiring} />
      </div>
      <SampleNote overview={overview} total={total} />
      <div className="overview-pair">
        <ByRequester groups={overview.by_requester} />
        <ByRule groups={overview.by_rule} />
      </div>
      <ByPerson groups={overview.by_person} />
      <p className="soft small">{words.updated(<DateTime at={overview.computed_at} />)}</p>
    </>
  );
}

function sumOf({ pending, approved, denied, expired }: Overview['days'][number]): number {
  return pending + approved + denied + expired;
}

/** Appears when the figures do not cover every request. */
function SampleNote({ overview: { sample }, total }: { overview: Overview; total: number }) {
  if (sample.complete || sample.since === null) return null;
  return (
    <Notice>
      <p>{words.covers(total, sample.intents, <DateTime at={sample.since} />)}</p>
    </Notice>
  );
}

function NoRequests() {
  const { projectId, mayManage } = useProject();
  return (
    <Card>
      <EmptyState
        icon="overview"
        {...words.empty}
        actions={
          mayManage && (
            <LinkButton tone="primary" icon="agent" to={`/projects/${projectId}/agents`}>
              {words.viewAgents}
            </LinkButton>
          )
        }
      />
    </Card>
  );
}
