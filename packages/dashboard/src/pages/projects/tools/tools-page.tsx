import { useQueries, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'react-router';
import { useRole } from '../../../api/session.ts';
import { InertText } from '../../../inert-text/inert-text.tsx';
import { Badge, RiskBadge } from '../../../ui/badge.tsx';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { CodeBlock } from '../../../ui/code-block.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { ErrorPanel, Notice } from '../../../ui/notice.tsx';
import { type Column, Table } from '../../../ui/table.tsx';
import { Waiting } from '../../../ui/waiting.tsx';
import { ProjectPage } from '../project-frame/project-page.tsx';
import { useProjectId } from '../project-frame/queries.ts';
import { MockRecordsCard } from './mock-records-card.tsx';
import {
  MOCK_CONNECTORS,
  type ProtectedTool,
  protectedToolsQuery,
  type Upstream,
  upstreamsQuery,
  upstreamToolsQuery,
  waitsForReview,
} from './queries.ts';
import { AddServerDialog } from './server-dialogs.tsx';
import { UpstreamState } from './tool-state.tsx';
import './tools.css';

/** Everything that agents can have done through the gateway, and the servers of others behind it. */
export default function ToolsPage() {
  const projectId = useProjectId();
  const mayManage = useRole(projectId).isAtLeast('admin');
  const [isAdding, setAdding] = useState(false);
  return (
    <ProjectPage
      title="Tools"
      lead="What agents may ask the gate to do for them. Each call is allowed by policy or by people, and run once."
      actions={
        mayManage && (
          <Button tone="primary" icon="plus" onClick={() => setAdding(true)}>
            Add a server
          </Button>
        )
      }
    >
      <Servers projectId={projectId} mayManage={mayManage} />
      <OfferedTools projectId={projectId} />
      <MockRecordsCard projectId={projectId} />
      {isAdding && <AddServerDialog projectId={projectId} onClose={() => setAdding(false)} />}
    </ProjectPage>
  );
}

interface Row {
  upstream: Upstream;
  offered: number | undefined;
  waiting: number;
}

function Servers({ projectId, mayManage }: { projectId: string; mayManage: boolean }) {
  const { data, error, isPending, refetch } = useQuery(upstreamsQuery(projectId));
  const upstreams = data?.data ?? [];
  const tools = useQueries({ queries: upstreams.map(({ id }) => upstreamToolsQuery(projectId, id)) });
  const rows = upstreams.map((upstream, index): Row => {
    const known = tools[index]?.data?.data;
    return {
      upstream,
      offered: known?.filter(({ state }) => state === 'approved').length,
      waiting: known?.filter(waitsForReview).length ?? 0,
    };
  });
  const waiting = rows.filter((row) => row.waiting > 0);
  const columns: Column<Row>[] = [
    {
      key: 'name',
      header: 'Server',
      primary: true,
      cell: ({ upstream }) => (
        <div className="tools-description">
          <Link to={`/projects/${projectId}/tools/${upstream.id}`}>{upstream.name}</Link>
          <div className="soft small">
            <InertText text={upstream.target} />
          </div>
        </div>
      ),
    },
    {
      key: 'state',
      header: 'State',
      cell: ({ upstream }) => (
        <div>
          <UpstreamState upstream={upstream} />
          {upstream.error !== null && (
            <div className="soft small">
              <InertText text={upstream.error} />
            </div>
          )}
        </div>
      ),
    },
    { key: 'offered', header: 'Tools offered', align: 'end', cell: ({ offered }) => offered ?? '…' },
    {
      key: 'waiting',
      header: 'To be looked at',
      cell: ({ waiting: count }) => (count === 0 ? 'none' : <Badge tone="warn">{count} to review</Badge>),
    },
  ];
  return (
    <>
      {waiting.length > 0 && mayManage && (
        <Notice tone="warn" title="Tools wait for you.">
          <p>
            New and changed ones are offered once somebody looked at them:{' '}
            {waiting.map(({ upstream }, index) => (
              <span key={upstream.id}>
                {index > 0 && ', '}
                <Link to={`/projects/${projectId}/tools/${upstream.id}`}>{upstream.name}</Link>
              </span>
            ))}
            .
          </p>
        </Notice>
      )}
      <Card title="MCP servers behind the gate" flush>
        <ErrorPanel error={error} onRetry={refetch} />
        {isPending && <Waiting />}
        {data && rows.length === 0 && (
          <EmptyState
            icon="laptop"
            title="No servers"
            lead={
              mayManage
                ? 'Agents are offered those of its tools that somebody approved. Add one by its address here. One that is a command on the gate’s own machine is added there, by whoever runs the gate:'
                : 'An admin of the project adds one.'
            }
          >
            {mayManage && (
              <CodeBlock
                code="permitry upstream add files-of-team -- npx -y some-mcp-server"
                what="the command"
                wrap
              />
            )}
          </EmptyState>
        )}
        {rows.length > 0 && (
          <Table
            caption="Upstream servers"
            columns={columns}
            rows={rows}
            rowKey={({ upstream }) => upstream.id}
          />
        )}
      </Card>
    </>
  );
}

const IS_MOCK: ReadonlySet<string> = new Set(MOCK_CONNECTORS);

function OfferedTools({ projectId }: { projectId: string }) {
  const { data, error, isPending, refetch } = useQuery(protectedToolsQuery(projectId));
  const [shown, setShown] = useState<ProtectedTool | null>(null);
  const columns: Column<ProtectedTool>[] = [
    {
      key: 'name',
      header: 'Tool',
      primary: true,
      cell: ({ name, description }) => (
        <div className="tools-description">
          <code>{name}</code>
          <div className="soft small">
            <InertText text={description} fold={140} />
          </div>
        </div>
      ),
    },
    {
      key: 'connector',
      header: 'Connector',
      cell: ({ connector }) => (
        <span>
          {connector}{' '}
          {IS_MOCK.has(connector) && (
            <Badge title="It does nothing, and keeps what it was asked for.">mock</Badge>
          )}
        </span>
      ),
    },
    { key: 'risk', header: 'Risk', cell: ({ risk_tier }) => <RiskBadge tier={risk_tier} /> },
    {
      key: 'schema',
      header: 'Arguments',
      actions: true,
      cell: (tool) => (
        <Button size="s" aria-label={`Arguments of ${tool.name}`} onClick={() => setShown(tool)}>
          Arguments
        </Button>
      ),
    },
  ];
  return (
    <Card
      title="Tools that agents are offered"
      lead={
        <>
          With an agent’s key: over MCP at <code>{location.origin}/mcp</code>, over HTTP at{' '}
          <code>{location.origin}/api/mcp-gateway</code>.
        </>
      }
      flush
    >
      <ErrorPanel error={error} onRetry={refetch} />
      {isPending && <Waiting />}
      {data && data.data.length === 0 && <EmptyState icon="laptop" title="No tools" />}
      {data && data.data.length > 0 && (
        <Table caption="Protected tools" columns={columns} rows={data.data} rowKey={({ name }) => name} />
      )}
      {shown && (
        <Dialog
          open
          title={`Arguments of ${shown.name}`}
          width="wide"
          onClose={() => setShown(null)}
          actions={<Button onClick={() => setShown(null)}>Close</Button>}
        >
          <div className="stack">
            <p>Arguments that do not fit this JSON Schema are refused before anybody is asked.</p>
            {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keys */}
            <pre className="tools-definition" tabIndex={0}>
              <InertText text={JSON.stringify(shown.input_schema, null, 2)} fold={8000} />
            </pre>
          </div>
        </Dialog>
      )}
    </Card>
  );
}
