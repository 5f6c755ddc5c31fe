/** The tools of one server, to review, approve and disable. */
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../../api/client.ts';
import { InertText } from '../../../inert-text/inert-text.tsx';
import { RiskBadge } from '../../../ui/badge.tsx';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { ConfirmDialog } from '../../../ui/form-dialog.tsx';
import { Listing } from '../../../ui/listing.tsx';
import { Notice } from '../../../ui/notice.tsx';
import { Table } from '../../../ui/table.tsx';
import { RelativeTime } from '../../../ui/time.tsx';
import { useProjectId } from '../project-frame/queries.ts';
import {
  needsReview,
  toolsKey,
  type Upstream,
  type UpstreamTool,
  upstreamPath,
  upstreamToolsQuery,
} from './queries.ts';
import { ReviewAllDialog, ReviewDialog } from './review-dialog.tsx';
import { ToolState } from './tool-state.tsx';
import * as words from './tools.words.ts';

export function ServerTools({ upstream, mayManage }: { upstream: Upstream; mayManage: boolean }) {
  const projectId = useProjectId();
  const query = useQuery(upstreamToolsQuery(projectId, upstream.id));
  const [reviewed, setReviewed] = useState<{ name: string; hash: string } | null>(null);
  const [disabling, setDisabling] = useState<string | null>(null);
  /** A snapshot from when the person started to review: the list keeps changing meanwhile. */
  const [reviewedTogether, setReviewedTogether] = useState<readonly UpstreamTool[] | null>(null);
  const tools = query.data?.data ?? [];
  const fresh = tools.filter((tool) => tool.state === 'new' && needsReview(tool));
  const changed = tools.filter((tool) => tool.state === 'changed');
  const inReview = tools.find(({ name }) => name === reviewed?.name);
  const buttonsOf = (tool: UpstreamTool) =>
    mayManage && (
      <div className="button-row end">
        {tool.found && tool.obstacle === null && (
          <Button
            size="s"
            tone={needsReview(tool) ? 'primary' : 'secondary'}
            aria-label={words.reviewNamed(tool.name)}
            onClick={() => setReviewed({ name: tool.name, hash: tool.found?.hash ?? '' })}
          >
            {words.review}
          </Button>
        )}
        {tool.pinned !== null && (
          <Button
            size="s"
            tone="deny"
            aria-label={words.disableNamed(tool.name)}
            onClick={() => setDisabling(tool.name)}
          >
            {words.disable}
          </Button>
        )}
      </div>
    );
  return (
    <>
      {changed.length > 0 && (
        <Notice tone="warn" title={words.changed(changed.length)}>
          <p>{words.changedMeans}</p>
        </Notice>
      )}
      <Card
        title={words.title}
        flush
        actions={
          mayManage &&
          fresh.length > 1 && (
            <Button tone="primary" onClick={() => setReviewedTogether(fresh)}>
              {words.reviewNew(fresh.length)}
            </Button>
          )
        }
      >
        <Listing
          query={query}
          count={tools.length}
          empty={{
            icon: 'laptop',
            title: words.noTools.title,
            lead: upstream.looked_at === null ? words.notReachedLead : words.listsNone,
          }}
          isInCard
        >
          <Table
            caption={words.toolList}
            rows={tools}
            rowKey={({ name }) => name}
            columns={{
              [words.properties.tool]: ({ name, found, pinned, obstacle }) => (
                <div className="tools-description">
                  <code>
                    <InertText text={name} />
                  </code>
                  <div className="soft small">
                    <InertText text={obstacle ?? textOf((pinned ?? found)?.content.description)} fold={140} />
                  </div>
                </div>
              ),
              [words.properties.state]: (tool) => <ToolState tool={tool} />,
              [words.properties.risk]: ({ risk_tier }) => <RiskBadge tier={risk_tier} />,
              [words.properties.lastChange]: ({ changed_at }) => <RelativeTime at={changed_at} />,
            }}
            actions={buttonsOf}
          />
        </Listing>
      </Card>
      {inReview && (
        <ReviewDialog
          key={inReview.found?.hash}
          upstream={upstream}
          tool={inReview}
          isAnother={inReview.found?.hash !== reviewed?.hash}
          onClose={() => setReviewed(null)}
        />
      )}
      {reviewedTogether && (
        <ReviewAllDialog
          upstream={upstream}
          tools={reviewedTogether}
          onClose={() => setReviewedTogether(null)}
        />
      )}
      {disabling !== null && (
        <ConfirmDialog
          title={words.disableTitle(`${upstream.name}.${disabling}`)}
          confirmLabel={words.disableTool}
          change={() =>
            api.post(upstreamPath(projectId, upstream.id, '/tools/withdraw'), { tools: [disabling] })
          }
          done={words.disabled}
          touched={toolsKey(projectId)}
          onClose={() => setDisabling(null)}
        >
          <p>{words.disableConsequence}</p>
        </ConfirmDialog>
      )}
    </>
  );
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
