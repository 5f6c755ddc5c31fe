import { api } from '../../../api/client.ts';
import { renew } from '../../../api/query-client.ts';
import { useForm } from '../../../api/use-form.ts';
import { useSubmit } from '../../../api/use-submit.ts';
import { toast } from '../../../ui/announce.tsx';
import { FormDialog } from '../../../ui/form-dialog.tsx';
import { Hash } from '../../../ui/hash.tsx';
import { Notice } from '../../../ui/notice.tsx';
import { RISK_TIERS } from '../../../ui/risk-choices.ts';
import { Select } from '../../../ui/select.tsx';
import { useProjectId } from '../project-frame/queries.ts';
import { DefinitionLines } from './definition-lines.tsx';
import { toolsKey, type Upstream, type UpstreamTool, upstreamPath } from './queries.ts';

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
      toast(`Agents are offered ${tools.length === 1 ? 'it' : 'them'} from now on.`);
      onClose();
    } finally {
      // Also after a refusal: the tool may have changed, and the dialog has to show the current one.
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
      title={`Review ${tool.action ?? name}`}
      submitLabel="Approve it as shown"
      width="wide"
      form={form}
      onClose={onClose}
    >
      {isAnother && (
        <Notice tone="warn" title="It changed while you read.">
          <p>What stands here is what the server says of it now.</p>
        </Notice>
      )}
      <Notice tone={pinned && !isBack ? 'warn' : 'info'}>
        {sayWhatIsShown(tool)} Agents read it as it stands here: look for instructions that are meant for
        them.
      </Notice>
      <DefinitionLines before={isBack ? null : pinned} after={found} />
      <p className="soft small">
        What you approve: <Hash value={found.hash} what="the hash of the definition" />
      </p>
      <Select
        label="Risk of its requests"
        hint="At least this; policy and agents can only raise it."
        options={[
          { value: '', label: 'As the server’s tools have it' },
          ...RISK_TIERS.map((value) => ({ value, label: value })),
        ]}
        {...form.field('tier')}
      />
    </FormDialog>
  );
}

function sayWhatIsShown({ pinned, found }: UpstreamTool): string {
  if (!pinned) return 'This is what the server says of the tool.';
  if (pinned.hash === found?.hash)
    return 'The server said something else of this tool, and says again what was approved.';
  return 'The server says something else than was approved; until somebody approves it, the tool is not offered.';
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
      title={`Review ${shown.length} new tools`}
      submitLabel={`Approve these ${shown.length} as shown`}
      width="wide"
      form={approving}
      onClose={onClose}
    >
      <Notice>
        This is what the server says of its tools. Agents read it as it stands here: look for instructions
        that are meant for them.
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
