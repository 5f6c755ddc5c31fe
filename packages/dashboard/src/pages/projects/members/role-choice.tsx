import { type Role, reaches } from '../../../api/session.ts';
import { Choice } from '../../../ui/checkbox.tsx';
import { useProject } from '../project-frame/queries.ts';

/** From the lowest to the highest; each includes those before it. */
const ROLES: readonly { value: Role; label: string; hint: string }[] = [
  { value: 'viewer', label: 'Viewer', hint: 'Sees requests, people, policy and the audit log.' },
  { value: 'approver', label: 'Approver', hint: 'Also decides requests, where policy asks for them.' },
  {
    value: 'admin',
    label: 'Admin',
    hint: 'Also manages agents, keys, members, groups and policy, and can stop the project.',
  },
  {
    value: 'owner',
    label: 'Owner',
    hint: 'Also makes owners, erases texts about people, and makes other projects.',
  },
];

/** The roles that the person can give: none above their own. */
export function RoleChoice({ value, onChange }: { value: Role; onChange: (role: Role) => void }) {
  const { role: own } = useProject();
  const options = ROLES.filter((role) => reaches(own, role.value));
  return <Choice legend="Role" name="role" options={options} value={value} onChange={onChange} />;
}
