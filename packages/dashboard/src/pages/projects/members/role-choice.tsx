import { type Role, reaches } from '../../../api/session.ts';
import { Choice } from '../../../ui/checkbox.tsx';
import { useProject } from '../project-frame/queries.ts';
import * as words from './members.words.ts';

const ROLES = (['viewer', 'approver', 'admin', 'owner'] as const).map((value) => ({
  value,
  ...words.roles[value],
}));

/** The roles that the person can give: none above their own. */
export function RoleChoice({ value, onChange }: { value: Role; onChange: (role: Role) => void }) {
  const { role: own } = useProject();
  const options = ROLES.filter((role) => reaches(own, role.value));
  return <Choice legend={words.role} name="role" options={options} value={value} onChange={onChange} />;
}
