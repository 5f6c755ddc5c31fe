import type { Command } from 'commander';
import type { ExportFlags } from '../actions/audit-export.ts';
import { adminCommand, examples } from '../command-options.ts';

const actions = () => import('../actions/audit-export.ts');

export function addAuditExportCommand(audit: Command): void {
  adminCommand(audit, 'export', 'write the audit log of a project as JSON Lines')
    .option('--out <file>', 'mode 0600, replaced only when complete; stdout when left out')
    .addHelpText('after', examples('permitry audit export --out audit.jsonl'))
    .action(async (flags: ExportFlags) => (await actions()).writeExport(flags));
}
