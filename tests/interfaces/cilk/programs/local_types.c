/* Loops of C over variables of types that their function declares, or that have no name. */
#include <stdio.h>

#include <cilk/cilk.h>

struct point {
  double of_the_file;
};

static int forwarded(void) {
  struct node;
  struct node* all[4];
  struct node {
    int value;
    struct node* next;
  } nodes[4];
  cilk_for(int i = 0; i < 4; i++) {
    nodes[i].value = i;
    nodes[i].next = i > 0 ? &nodes[i - 1] : NULL;
    all[i] = &nodes[i];
  }
  return all[3]->next->value;
}

static long chained(void) {
  enum { SIZE = 12 };
  enum { DOUBLE = 2 * SIZE };
  struct grid {
    int cells[DOUBLE]; /* which another type's constant sizes */
    enum { IN, OUT } state;
  } g[SIZE];
  cilk_for(int i = 0; i < SIZE; i++) {
    for (int j = 0; j < DOUBLE; j++) g[i].cells[j] = i * j;
    g[i].state = i % 2 ? IN : OUT;
    switch (i) {
    case SIZE - 1: g[i].cells[0] = 9; break;
    default: break;
    }
  }
  long result = 0;
  for (int i = 0; i < SIZE; i++)
    result = result * 3 % 10007 + g[i].cells[5] + (int)g[i].state + g[i].cells[0];
  return result;
}

static long nested(void) {
  int a[6][6];
  cilk_for(int i = 0; i < 6; i++) {
    struct pair {
      int x, y;
    } p = {i, 2};
    enum { FACTOR = 3 };
    cilk_for(int j = 0; j < 6; j++) {
      struct pair q = p;
      a[i][j] = q.x * FACTOR + j + p.y;
    }
  }
  return a[5][5] * 100 + a[2][1];
}

int main(void) {
  struct {
    int x;
    struct {
      int y; /* as if it were s's own */
    };
    struct {
      int k;
    } in;
  } s = {1, {2}, {3}};
  enum { FEW, MANY = 7 } e = MANY;
  union {
    int i;
    float f;
  } u[20];
  struct {
    unsigned a : 3, b : 5;
  } bits[20];
  struct {
    char c;
    int i;
  } __attribute__((packed)) tight[20];
  const struct {
    int x;
  } fixed = {4};
  int a[20];
  cilk_for(int i = 0; i < 20; i++) {
    u[i].i = i;
    bits[i].a = (unsigned)i & 7;
    bits[i].b = (unsigned)i & 31;
    tight[i].i = fixed.x + (int)sizeof tight[0];
    a[i] = s.x + s.y + s.in.k + (e == MANY ? FEW : 5) + MANY * i;
  }
  long t = 0;
  for (int i = 0; i < 20; i++)
    t = t * 3 % 10007 + a[i] + u[i].i + (long)bits[i].a + (long)bits[i].b + tight[i].i;
  printf("%ld %d\n", t, s.x);

  struct point {
    int x, y;
  } points[30];
  typedef struct point named, *pointer;
  typedef struct {
    named p;
    struct point* q;
  } both;
  both b[30];
  struct list {
    struct item* first;
  };
  struct item {
    int value;
    struct item* next;
  } item = {5, NULL};
  struct list list = {&item};
  cilk_for(int i = 0; i < 30; i++) {
    struct point z = {i, FEW};
    points[i] = z;
    pointer p = &points[i];
    named k = (named){1, 2};
    p->y = i + k.y;
    b[i].p = *p;
    b[i].q = p;
    b[i].p.x += (int)sizeof(struct point) + list.first->value;
  }
  for (int i = 0; i < 30; i++) t = t * 3 % 10007 + points[i].x + b[i].p.y + b[i].p.x + b[i].q->y;
  printf("%ld %d\n", t, (int)sizeof(struct point));
  printf("%d %ld %ld %d\n", forwarded(), chained(), nested(), __LINE__);
  return 0;
}
