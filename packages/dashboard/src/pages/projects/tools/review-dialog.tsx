import { api } from '../../../api/client.ts';
import { renew } from '../../../api/query-client.ts';
import { useForm } from '../../../api/use-form.ts';
import { useSubmit } from '../../../api/use-submit.ts';
import { toast } from '../../../ui/announce.tsx';
import { FormDialog } from '../../../ui/form-dialog.tsx';
import { Hash } from '../../../ui/hash.tsx';
import { Notice } from '../../../ui/notice.tsx';
import { RISK_CHOICES } from '../../../ui/risk-choices.ts';
import { Select } from '../../../ui/select.tsx';
import { useProjectId } from '../project-frame/queries.ts';
import { DefinitionLines } from './definition-lines.tsx';
import { toolsKey, type Upstream, type UpstreamTool, upstreamPath } from './queries.ts';
import * as words from './tools.words.ts';

type RiskTier = UpstreamTool['risk_tier'];
interface Approval {
  name: string;
  hash: string;
  risk_tier?: RiskTier | null;
}

function useApproval(upstream: Upstream, onClose: () => void) {
  const projectId = useProjectId();
  return async (...tools: readonly Approval[]) => {
    try {
      await api.post(upstreamPath(projectId, upstream.id, '/tools/approve'), { tools });
      toast(words.approved(tools.length));
      onClose();
    } finally {
      // Runs after a refusal too: the tool may have changed, and the dialog must show its current definition.
      await renew(toolsKey(projectId));
    }
  };
}

/** One tool as discovered, next to its approved definition, with the button to approve it. */
export function ReviewDialog({
  upstream,
  tool,
  isAnother,
  onClose,
}: {
  upstream: Upstream;
  tool: UpstreamTool;
  /** The server's definition has changed since the dialog was opened. */
  isAnother: boolean;
  onClose: () => void;
}) {
  const { name, found, pinned } = tool;
  const approve = useApproval(upstream, onClose);
  const first: { tier: RiskTier | '' } = { tier: tool.risk_tier_set ?? '' };
  const form = useForm(first, async ({ tier }) =>
    approve({ name, hash: found?.hash ?? '', risk_tier: tier === '' ? null : tier }),
  );
  if (!found) return null;
  const isBack = pinned?.hash === found.hash;
  return (
    <FormDialog
      title={words.reviewNamed(tool.action ?? name)}
      submitLabel={words.approve}
      width="wide"
      form={form}
      onClose={onClose}
    >
      {isAnother && (
        <Notice tone="warn" title={words.changedMeanwhile.title}>
          <p>{words.changedMeanwhile.lead}</p>
        </Notice>
      )}
      <Notice tone={pinned && !isBack ? 'warn' : 'info'}>
        {sayWhatIsShown(tool)} {words.lookForInstructions}
      </Notice>
      <DefinitionLines before={isBack ? null : pinned} after={found} />
      <p className="soft small">{words.approvedHash(<Hash value={found.hash} what={words.theHash} />)}</p>
      <Select
        label={words.minimumRisk}
        hint={words.minimumRiskHint}
        options={[{ value: '', label: words.serverDefault }, ...RISK_CHOICES]}
        {...form.field('tier')}
      />
    </FormDialog>
  );
}

function sayWhatIsShown({ state, pinned, found }: UpstreamTool): string {
  if (!pinned) return words.shown.new;
  if (pinned.hash !== found?.hash) return words.shown.changed;
  return state === 'changed' ? words.shown.changedBack : words.shown.approved;
}

/** All unreviewed tools, to review in one pass. */
export function ReviewAllDialog({
  upstream,
  tools,
  onClose,
}: {
  upstream: Upstream;
  tools: readonly UpstreamTool[];
  onClose: () => void;
}) {
  const shown = tools.flatMap(({ name, action, found }) => (found ? [{ name, action, found }] : []));
  const approve = useApproval(upstream, onClose);
  const approving = useSubmit(() => approve(...shown.map(({ name, found: { hash } }) => ({ name, hash }))));
  return (
    <FormDialog
      title={words.reviewNew(shown.length)}
      submitLabel={words.approveNew(shown.length)}
      width="wide"
      form={approving}
      onClose={onClose}
    >
      <Notice>
        {words.shownNew} {words.lookForInstructions}
      </Notice>
      {shown.map(({ name, action, found }) => (
        <details key={name} open={shown.length < 4}>
          <summary>
            <code>{action}</code>
          </summary>
          <DefinitionLines before={null} after={found} />
        </details>
      ))}
    </FormDialog>
  );
}
