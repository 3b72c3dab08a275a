/*
 * The node of one suite as a table of its functions. build.rs compiles the link
 * once for each suite and gives every function of it a name of its own; this file
 * gives the table its name, SELO_SYS_NODE, by which src/ffi/node.rs finds it.
 */
#include "selo.h"

static const uint8_t *received(const struct selo_node *node, uint8_t *size)
{
    *size = node->received_size;
    return node->received;
}

struct selo_sys_node {
    size_t size;
    enum selo_status (*begin)(struct selo_node *, const struct selo_hal *);
    enum selo_status (*provision)(struct selo_node *, uint32_t, const uint8_t[32]);
    enum selo_status (*pair)(struct selo_node *);
    uint32_t (*digits)(const struct selo_node *);
    enum selo_status (*confirm)(struct selo_node *, uint8_t);
    enum selo_status (*join)(struct selo_node *);
    enum selo_status (*send)(struct selo_node *, const void *, uint8_t, uint8_t);
    enum selo_node_event (*poll)(struct selo_node *);
    uint8_t (*is_paired)(const struct selo_node *);
    uint8_t (*is_joined)(const struct selo_node *);
    uint32_t (*id)(const struct selo_node *);
    enum selo_status (*forget)(struct selo_node *);
    const uint8_t *(*received)(const struct selo_node *, uint8_t *);
};

#if SELO_LINK_HYBRID
struct node {
    struct selo_node node;
    struct selo_node_workspace workspace;
};

static enum selo_status begin(struct selo_node *node, const struct selo_hal *hal)
{
    enum selo_status status = selo_node_begin(node, hal);

    if (status == SELO_OK) {
        selo_node_lend(node, &((struct node *)node)->workspace);
    }
    return status;
}
#else
struct node {
    struct selo_node node;
};
#define begin selo_node_begin
#endif

extern const struct selo_sys_node SELO_SYS_NODE;
const struct selo_sys_node SELO_SYS_NODE = {
    sizeof(struct node),      begin,               selo_node_provision, selo_node_pair,
    selo_node_digits,         selo_node_confirm,   selo_node_join,      selo_node_send,
    selo_node_poll,           selo_node_is_paired, selo_node_is_joined, selo_node_id,
    selo_node_forget,         received,
};
