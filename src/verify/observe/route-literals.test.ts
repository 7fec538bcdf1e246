import { expect, test } from 'vitest';
import { filledRoutes, routeLiterals } from './route-literals.ts';

const patch = `diff --git a/edge/routes.ts b/edge/routes.ts
--- a/edge/routes.ts
+++ b/edge/routes.ts
@@ -1,5 +1,6 @@
     path: '/notifications/:about',
-    path: '/old',
+    path: "/debug/settings",
+    app.get(\`/flags/{name}\`); // a/b and './file' are none
   handle: () => undefined,
`;

test('finds routes in added lines first, then in context, and none in removed lines', () => {
  expect(routeLiterals(patch)).toEqual([
    '/debug/settings',
    '/flags/{name}',
    '/notifications/:about',
  ]);
});

test('finds a route behind many others', () => {
  const lines = Array.from({ length: 50 }, (_, n) => `+  get('/page/x${n}');`);
  const padded = patch.replace('+    path: "/debug', `${lines.join('\n')}\n+    path: "/debug`);
  expect(routeLiterals(padded)).toContain('/debug/settings');
});

test('fills parameters of a route with known ids', () => {
  expect(filledRoutes('/debug/settings', ['ord_1'])).toEqual(['/debug/settings']);
  expect(filledRoutes('/n/:about/x', ['ord_1', 'a/2'])).toEqual(['/n/ord_1/x', '/n/a%2F2/x']);
  expect(filledRoutes('/flags/{name}', [])).toEqual(['/flags/1']);
});
