import { useQueries, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'react-router';
import { InertText } from '../../../inert-text/inert-text.tsx';
import { Badge, RiskBadge } from '../../../ui/badge.tsx';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { CodeBlock } from '../../../ui/code-block.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { Listing } from '../../../ui/listing.tsx';
import { Notice } from '../../../ui/notice.tsx';
import { Table } from '../../../ui/table.tsx';
import { ProjectPage } from '../project-frame/project-page.tsx';
import { useProject, useProjectId } from '../project-frame/queries.ts';
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

/** Every tool that agents can use through the gateway, and the MCP servers behind it. */
export default function ToolsPage() {
  const { mayManage } = useProject();
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
      <Servers />
      <OfferedTools />
      <MockRecordsCard />
      {isAdding && <AddServerDialog onClose={() => setAdding(false)} />}
    </ProjectPage>
  );
}

interface Row {
  upstream: Upstream;
  offered: number | undefined;
  waiting: number;
}

function Servers() {
  const { projectId, mayManage } = useProject();
  const query = useQuery(upstreamsQuery(projectId));
  const upstreams = query.data?.data ?? [];
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
        <Listing
          query={query}
          count={rows.length}
          empty={{
            icon: 'laptop',
            title: 'No servers',
            lead: mayManage
              ? 'Agents are offered those of its tools that somebody approved. Add one by its address here. One that is a command on the gate’s own machine is added there, by whoever runs the gate:'
              : 'An admin of the project adds one.',
            children: mayManage && (
              <CodeBlock
                code="permitry upstream add files-of-team -- npx -y some-mcp-server"
                what="the command"
                wrap
              />
            ),
          }}
          isInCard
        >
          <Table
            caption="Upstream servers"
            rows={rows}
            rowKey={({ upstream }) => upstream.id}
            columns={{
              Server: ({ upstream }) => (
                <div className="tools-description">
                  <Link to={`/projects/${projectId}/tools/${upstream.id}`}>{upstream.name}</Link>
                  <div className="soft small">
                    <InertText text={upstream.target} />
                  </div>
                </div>
              ),
              State: ({ upstream }) => (
                <div>
                  <UpstreamState upstream={upstream} />
                  {upstream.error !== null && (
                    <div className="soft small">
                      <InertText text={upstream.error} />
                    </div>
                  )}
                </div>
              ),
              'Tools offered': ({ offered }) => offered ?? '…',
              'To be looked at': ({ waiting: count }) =>
                count === 0 ? 'none' : <Badge tone="warn">{count} to review</Badge>,
            }}
            numbers={['Tools offered']}
          />
        </Listing>
      </Card>
    </>
  );
}

const IS_MOCK: ReadonlySet<string> = new Set(MOCK_CONNECTORS);

function OfferedTools() {
  const query = useQuery(protectedToolsQuery(useProjectId()));
  const tools = query.data?.data ?? [];
  const [shown, setShown] = useState<ProtectedTool | null>(null);
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
      <Listing query={query} count={tools.length} empty={{ icon: 'laptop', title: 'No tools' }} isInCard>
        <Table
          caption="Protected tools"
          rows={tools}
          rowKey={({ name }) => name}
          columns={{
            Tool: ({ name, description }) => (
              <div className="tools-description">
                <code>{name}</code>
                <div className="soft small">
                  <InertText text={description} fold={140} />
                </div>
              </div>
            ),
            Connector: ({ connector }) => (
              <span>
                {connector}{' '}
                {IS_MOCK.has(connector) && (
                  <Badge title="It does nothing, and keeps what it was asked for.">mock</Badge>
                )}
              </span>
            ),
            Risk: ({ risk_tier }) => <RiskBadge tier={risk_tier} />,
          }}
          actions={(tool) => (
            <Button size="s" aria-label={`Arguments of ${tool.name}`} onClick={() => setShown(tool)}>
              Arguments
            </Button>
          )}
          actionsLabel="Arguments"
        />
      </Listing>
      {shown && (
        <Dialog
          open
          title={`Arguments of ${shown.name}`}
          width="wide"
          onClose={() => setShown(null)}
          actions={<Button onClick={() => setShown(null)}>Close</Button>}
        >
          <p>Arguments that do not fit this JSON Schema are refused before anybody is asked.</p>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region has to be reachable by keyboard */}
          <pre className="tools-definition" tabIndex={0}>
            <InertText text={JSON.stringify(shown.input_schema, null, 2)} fold={8000} />
          </pre>
        </Dialog>
      )}
    </Card>
  );
}
